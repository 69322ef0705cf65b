import { type Task, withTaskIds } from '../model/task.ts';

/** To look for the place of one id among thousands costs as much as to go through so many of them. */
const FEW_CHANGES = 32;

/** The tasks of one tag by their ids. A list of them in order begins with the last list: most changes touch few of thousands. */
export class TagTasks {
  private readonly byId = new Map<number, Task>();
  private lastList: readonly Task[] = [];
  private lastIds: readonly number[] = [];
  /** The ids whose tasks have changed since. */
  private readonly changed = new Set<number>();

  get(id: number): Task | undefined {
    return this.byId.get(id);
  }

  set(id: number, task: Task): void {
    this.byId.set(id, task);
    this.changed.add(id);
  }

  delete(id: number): void {
    this.byId.delete(id);
    this.changed.add(id);
  }

  /** The tasks with these ids, in their order; `absent` makes one that is not there, and it stays. */
  inOrder(ids: readonly number[], absent: (id: number) => Task): readonly Task[] {
    const taskOf = (id: number) => {
      const known = this.byId.get(id) ?? absent(id);
      this.byId.set(id, known);
      return known;
    };
    const { lastIds, changed } = this;
    let same = 0;
    if (changed.size <= FEW_CHANGES) while (same < lastIds.length && lastIds[same] === ids[same]) same++;
    const list = this.lastList.slice(0, same);
    if (same > 0) {
      for (const id of changed) {
        const at = ids.indexOf(id);
        if (at !== -1 && at < same) list[at] = taskOf(id);
      }
    }
    for (let at = same; at < ids.length; at++) list.push(taskOf(ids[at] as number));
    changed.clear();
    this.lastIds = ids;
    this.lastList = withTaskIds(list, ids);
    return this.lastList;
  }
}
