import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryFolder } from './temporary-folder.ts';

/** Replaces one text of the release, which must occur exactly once. */
export interface Patch {
  /** A file of the release, or `program`: whichever of its bundles contains the text. */
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** A copy of a built Baton with patches, in a temporary folder, so that a rebuild never changes it during a run. */
export class PatchedRelease {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Errors: when the text of a patch does not occur exactly once, since a patch that changes nothing proves nothing. */
  static async create(
    built: string,
    nodeModules: string,
    patches: readonly Patch[],
  ): Promise<PatchedRelease> {
    const release = new PatchedRelease(createTemporaryFolder('release'));
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
    const matches: { path: string; text: string }[] = [];
    let times = 0;
    for (const name of file === 'program' ? bundles : [file]) {
      const path = join(this.folder, name);
      const text = await readFile(path, 'utf8');
      const found = [...text.matchAll(globalPattern(from))].length;
      times += found;
      if (found > 0) matches.push({ path, text });
    }
    const [match] = matches;
    if (times !== 1 || match === undefined)
      throw new Error(`${file} contains ${times} times the text that a patch replaces once: ${from}`);
    await writeFile(match.path, match.text.replace(from, to));
  }
}

function globalPattern(text: string | RegExp): RegExp {
  return typeof text === 'string'
    ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g')
    : new RegExp(text.source, 'g');
}
