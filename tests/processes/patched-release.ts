import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** One exact text of the release and what stands in its place. */
export interface Patch {
  /** A file of the release, or `program`: whichever of its bundles holds the text. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** A built copy of Baton with patches, in a folder of its own: what is rebuilt meanwhile does not touch it. */
export class PatchedRelease {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Errors: when the text that a patch replaces is not there exactly once; a patch that does nothing proves nothing. */
  static async create(
    built: string,
    nodeModules: string,
    patches: readonly Patch[],
  ): Promise<PatchedRelease> {
    const release = new PatchedRelease(temporaryFolder('release'));
    try {
      await cp(built, release.folder, { recursive: true });
      await symlink(nodeModules, join(release.folder, 'node_modules'));
      await writeFile(join(release.folder, 'package.json'), '{"type":"module"}');
      for (const patch of patches) await release.apply(patch);
    } catch (error) {
      await release.remove();
      throw error;
    }
    return release;
  }

  get entry(): string {
    return join(this.folder, 'baton.js');
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async apply({ file, from, to }: Patch): Promise<void> {
    const bundles = (await readdir(this.folder)).filter((name) => name.endsWith('.js'));
    const holders: { path: string; text: string }[] = [];
    let times = 0;
    for (const name of file === 'program' ? bundles : [file]) {
      const path = join(this.folder, name);
      const text = await readFile(path, 'utf8');
      const found = [...text.matchAll(globalPattern(from))].length;
      times += found;
      if (found > 0) holders.push({ path, text });
    }
    const [holder] = holders;
    if (times !== 1 || holder === undefined)
      throw new Error(`${file} holds ${times} times what a patch replaces once: ${from}`);
    await writeFile(holder.path, holder.text.replace(from, to));
  }
}

function globalPattern(text: string | RegExp): RegExp {
  return typeof text === 'string'
    ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g')
    : new RegExp(text.source, 'g');
}
