// A file of the kernel's file system.

const folderBit = 0o040000;
const fileBit = 0o100000;

/** Returns an error with one of the codes that Go translates to its own errors. */
export function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

let nodes = 0;

/** A file or folder in memory. */
export class Node {
  readonly ino = ++nodes;
  mode: number;
  data = new Uint8Array(0);
  size = 0;
  modified = Date.now();
  entries: Map<string, Node> | null;

  constructor(folder: boolean, permissions: number) {
    this.entries = folder ? new Map() : null;
    this.mode = (folder ? folderBit : fileBit) | (permissions & 0o777);
  }

  write(data: Uint8Array, at: number): void {
    this.resize(Math.max(this.size, at + data.length));
    this.data.set(data, at);
    this.modified = Date.now();
  }

  resize(size: number): void {
    if (size > this.data.length) {
      const grown = new Uint8Array(Math.max(size, 2 * this.data.length));
      grown.set(this.data.subarray(0, this.size));
      this.data = grown;
    } else if (size < this.size) {
      this.data.fill(0, size, this.size);
    }
    this.size = size;
  }

  stat(): object {
    const ms = Math.floor(this.modified);
    return {
      dev: 1,
      ino: this.ino,
      mode: this.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size: this.size,
      blksize: 4096,
      blocks: Math.ceil(this.size / 512),
      atimeMs: ms,
      mtimeMs: ms,
      ctimeMs: ms,
      isDirectory: () => this.entries !== null
    };
  }
}
