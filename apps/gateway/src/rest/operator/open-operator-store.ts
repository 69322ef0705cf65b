import type { Store } from '@baton/store';
import { DeploymentStatus, OperatorStore } from '@baton/store/operator';

export function openOperatorStore(store: Store): OperatorStore {
  return new OperatorStore(store);
}

export function openDeploymentStatus(store: Store): DeploymentStatus {
  return new DeploymentStatus(store);
}
