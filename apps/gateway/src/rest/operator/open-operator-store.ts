import type { Store } from '@baton/store';
import { OperatorStore } from '@baton/store/operator';

export function openOperatorStore(store: Store): OperatorStore {
  return new OperatorStore(store);
}
