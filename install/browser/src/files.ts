// The file system of the kernel, with the interface of Node's module fs that programs in Go use.
//
// Files below the folder /site are those of the page, which are asked for at every use. Files of the folder
// /gosphere are the data sets of the program, which can only be read. All others are in memory and lost when
// the kernel ends.

import { FileRequest, IEntry } from './messages.js';
import { Node, failure } from './node.js';

type Callback = (error: Error | null, value?: any) => void;

/** Asks the page for an operation on one of its files. */
export type Ask = (request: FileRequest) => Promise<any>;

/** The folder of the files of the page. */
export const siteFolder = '/site';

/** The folder of the data sets of the program. */
const dataFolder = '/gosphere/';

const constants = {
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_DIRECTORY: 0o200000
};

/** An open file. */
interface IOpen {
  node: Node;
  path: string;
  flags: number;
  position: number;
  changed: boolean;
}

/** Makes a path absolute and removes . and .. from it. */
export function resolve(cwd: string, ...parts: string[]): string {
  let path = cwd;
  for (const part of parts) {
    path = part.startsWith('/') ? part : path + '/' + part;
  }
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') {
      names.pop();
    } else if (name !== '' && name !== '.') {
      names.push(name);
    }
  }
  return '/' + names.join('/');
}

export class FileSystem {
  readonly constants = constants;
  cwd = '/';
  private root = new Node(true, 0o755);
  private open_ = new Map<number, IOpen>();
  private next = 3;

  /** output receives what is written to descriptors 1 and 2. Without ask there is no folder of the page. */
  constructor(
    private output: (fd: number, data: Uint8Array) => void,
    private ask: Ask | null
  ) {
    for (const name of ['tmp', 'home', ...(ask ? [siteFolder.slice(1)] : [])]) {
      this.root.entries!.set(name, new Node(true, 0o755));
    }
    const hosts = new Node(false, 0o644); // package net looks names up in it
    hosts.write(new TextEncoder().encode('127.0.0.1 localhost\n'), 0);
    const etc = new Node(true, 0o755);
    etc.entries!.set('hosts', hosts);
    this.root.entries!.set('etc', etc);
  }

  /** Returns the path within the files of the page, or null for a file in memory. */
  private ofPage(path: string): string | null {
    if (!this.ask) {
      return null;
    }
    return path === siteFolder ? '' : path.startsWith(siteFolder + '/') ? path.slice(siteFolder.length + 1) : null;
  }

  /** Calls back with the result of an operation, which may throw. Operations in memory call back at once. */
  private run(callback: Callback, operation: () => any): void {
    let value: any;
    try {
      value = operation();
    } catch (error) {
      callback(error as Error);
      return;
    }
    if (value instanceof Promise) {
      value.then(
        result => callback(null, result),
        error => callback(error.code ? error : failure('EIO', String(error.message ?? error)))
      );
      return;
    }
    callback(null, value);
  }

  private async page(request: FileRequest): Promise<any> {
    try {
      return await this.ask!(request);
    } catch (error: any) {
      const code = /^[A-Z]+$/.test(error.message) ? error.message : 'EIO';
      throw failure(code, request.path);
    }
  }

  /** Finds a file in memory. */
  private find(path: string): Node {
    let node = this.root;
    for (const name of path.split('/').filter(name => name !== '')) {
      if (!node.entries) {
        throw failure('ENOTDIR', path);
      }
      const next = node.entries.get(name);
      if (!next) {
        throw failure('ENOENT', path);
      }
      node = next;
    }
    return node;
  }

  /** Returns the folder in memory that holds a path, and the last name of the path. */
  private parent(path: string): [Map<string, Node>, string] {
    const cut = path.lastIndexOf('/');
    const node = this.find(path.slice(0, cut));
    if (!node.entries) {
      throw failure('ENOTDIR', path);
    }
    return [node.entries, path.slice(cut + 1)];
  }

  /** Makes a node for an entry of a folder of the page. */
  private nodeOf(entry: IEntry): Node {
    const node = new Node(entry.folder, entry.folder ? 0o755 : 0o644);
    node.size = entry.size;
    node.modified = entry.modified;
    return node;
  }

  private file(fd: number): IOpen {
    const file = this.open_.get(fd);
    if (!file) {
      throw failure('EBADF', String(fd));
    }
    return file;
  }

  open(path: string, flags: number, mode: number, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      const remote = this.ofPage(full);
      if (remote !== null) {
        return this.openPage(full, remote, flags);
      }
      return this.ask && full.startsWith(dataFolder) ? this.openData(full, flags) : this.openMemory(full, flags, mode);
    });
  }

  private opened(node: Node, path: string, flags: number): number {
    if (node.entries && flags & (constants.O_WRONLY | constants.O_RDWR)) {
      throw failure('EISDIR', path);
    }
    if (!node.entries && flags & constants.O_DIRECTORY) {
      throw failure('ENOTDIR', path);
    }
    const fd = this.next++;
    const file = { node, path, flags, position: 0, changed: false };
    if (flags & constants.O_TRUNC) {
      node.resize(0);
      file.changed = true;
    }
    this.open_.set(fd, file);
    return fd;
  }

  private openMemory(path: string, flags: number, mode: number): number {
    let node: Node;
    try {
      node = this.find(path);
      if (flags & constants.O_CREAT && flags & constants.O_EXCL) {
        throw failure('EEXIST', path);
      }
    } catch (error: any) {
      if (error.code !== 'ENOENT' || !(flags & constants.O_CREAT)) {
        throw error;
      }
      const [entries, name] = this.parent(path);
      node = new Node(false, mode);
      entries.set(name, node);
    }
    return this.opened(node, path, flags);
  }

  private async openData(path: string, flags: number): Promise<number> {
    if (flags & (constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC)) {
      throw failure('EROFS', path);
    }
    const node = new Node(false, 0o444);
    node.data = await this.page({ op: 'data', path: path.slice(dataFolder.length) });
    node.size = node.data.length;
    return this.opened(node, path, flags);
  }

  private async openPage(path: string, remote: string, flags: number): Promise<number> {
    let node: Node;
    let created = false;
    try {
      node = this.nodeOf(await this.page({ op: 'stat', path: remote }));
      if (flags & constants.O_CREAT && flags & constants.O_EXCL) {
        throw failure('EEXIST', path);
      }
      if (!node.entries && !(flags & constants.O_TRUNC)) {
        node.data = await this.page({ op: 'read', path: remote });
        node.size = node.data.length;
      }
    } catch (error: any) {
      if (error.code !== 'ENOENT' || !(flags & constants.O_CREAT)) {
        throw error;
      }
      node = new Node(false, 0o644);
      created = true;
    }
    const fd = this.opened(node, path, flags);
    if (created) {
      this.file(fd).changed = true;
      await this.save(this.file(fd)); // other programs see the file at once
    }
    return fd;
  }

  /** Stores a changed file of the page. */
  private async save(file: IOpen): Promise<void> {
    const remote = this.ofPage(file.path);
    if (remote !== null && file.changed) {
      file.changed = false;
      await this.page({ op: 'write', path: remote, data: file.node.data.slice(0, file.node.size) });
    }
  }

  close(fd: number, callback: Callback): void {
    this.run(callback, () => {
      const file = this.file(fd);
      this.open_.delete(fd);
      return file.changed && this.ofPage(file.path) !== null ? this.save(file) : undefined;
    });
  }

  fsync(fd: number, callback: Callback): void {
    this.run(callback, () => {
      const file = this.file(fd);
      return file.changed && this.ofPage(file.path) !== null ? this.save(file) : undefined;
    });
  }

  read(fd: number, buffer: Uint8Array, offset: number, length: number, position: number | null, callback: Callback): void {
    this.run(callback, () => {
      if (fd === 0) {
        return 0; // cells ask the user by messages
      }
      const file = this.file(fd);
      if (file.node.entries) {
        throw failure('EISDIR', file.path);
      }
      const at = position === null ? file.position : Number(position);
      const n = Math.max(0, Math.min(length, file.node.size - at));
      buffer.set(file.node.data.subarray(at, at + n), offset);
      if (position === null) {
        file.position += n;
      }
      return n;
    });
  }

  writeSync(fd: number, buffer: Uint8Array): number {
    this.output(fd, buffer);
    return buffer.length;
  }

  write(fd: number, buffer: Uint8Array, offset: number, length: number, position: number | null, callback: Callback): void {
    this.run(callback, () => {
      const data = buffer.slice(offset, offset + length);
      if (fd === 1 || fd === 2) {
        return this.writeSync(fd, data);
      }
      const file = this.file(fd);
      if (!(file.flags & (constants.O_WRONLY | constants.O_RDWR))) {
        throw failure('EBADF', file.path);
      }
      let at = position === null ? file.position : Number(position);
      if (file.flags & constants.O_APPEND) {
        at = file.node.size;
      }
      file.node.write(data, at);
      file.changed = true;
      if (position === null) {
        file.position = at + length;
      }
      return length;
    });
  }

  fstat(fd: number, callback: Callback): void {
    this.run(callback, () => (fd <= 2 ? new Node(false, 0o600).stat() : this.file(fd).node.stat()));
  }

  stat(path: string, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      const remote = this.ofPage(full);
      if (remote === null || remote === '') {
        return this.find(full).stat();
      }
      return this.page({ op: 'stat', path: remote }).then(entry => this.nodeOf(entry).stat());
    });
  }

  lstat(path: string, callback: Callback): void {
    this.stat(path, callback);
  }

  readdir(path: string, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      const remote = this.ofPage(full);
      if (remote !== null) {
        return this.page({ op: 'list', path: remote }).then((list: IEntry[]) => list.map(entry => entry.name).sort());
      }
      const node = this.find(full);
      if (!node.entries) {
        throw failure('ENOTDIR', full);
      }
      return [...node.entries.keys()].sort();
    });
  }

  mkdir(path: string, mode: number, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      const remote = this.ofPage(full);
      if (remote !== null) {
        return this.page({ op: 'mkdir', path: remote });
      }
      const [entries, name] = this.parent(full);
      if (entries.has(name) || full === '/') {
        throw failure('EEXIST', full);
      }
      entries.set(name, new Node(true, mode));
      return undefined;
    });
  }

  private remove(path: string, folder: boolean, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      const remote = this.ofPage(full);
      if (remote !== null) {
        return this.removeOfPage(full, remote, folder);
      }
      const node = this.find(full);
      this.checkRemoval(full, node, folder, node.entries?.size ?? 0);
      const [entries, name] = this.parent(full);
      entries.delete(name);
      return undefined;
    });
  }

  private checkRemoval(path: string, node: Node, folder: boolean, entries: number): void {
    if (folder !== (node.entries !== null)) {
      throw failure(folder ? 'ENOTDIR' : 'EISDIR', path);
    }
    if (entries > 0) {
      throw failure('ENOTEMPTY', path);
    }
  }

  private async removeOfPage(path: string, remote: string, folder: boolean): Promise<void> {
    const node = this.nodeOf(await this.page({ op: 'stat', path: remote }));
    const list: IEntry[] = node.entries ? await this.page({ op: 'list', path: remote }) : [];
    this.checkRemoval(path, node, folder, list.length);
    await this.page({ op: 'remove', path: remote });
  }

  unlink(path: string, callback: Callback): void {
    this.remove(path, false, callback);
  }

  rmdir(path: string, callback: Callback): void {
    this.remove(path, true, callback);
  }

  rename(from: string, to: string, callback: Callback): void {
    this.run(callback, () => {
      const [source, target] = [resolve(this.cwd, from), resolve(this.cwd, to)];
      const [a, b] = [this.ofPage(source), this.ofPage(target)];
      if ((a === null) !== (b === null)) {
        throw failure('EXDEV', `${source} and ${target}`);
      }
      if (a !== null && b !== null) {
        return this.renameOfPage(a, b);
      }
      const node = this.find(source);
      const [entries, name] = this.parent(target);
      const [old, oldName] = this.parent(source);
      old.delete(oldName);
      entries.set(name, node);
      return undefined;
    });
  }

  private async renameOfPage(from: string, to: string): Promise<void> {
    // As in POSIX, a file replaces one that exists.
    await this.page({ op: 'remove', path: to }).catch(() => undefined);
    await this.page({ op: 'rename', path: from, to });
  }

  truncate(path: string, length: number, callback: Callback): void {
    this.open(path, constants.O_WRONLY, 0, (error, fd) => {
      if (error) {
        callback(error);
        return;
      }
      this.ftruncate(fd, length, error => this.close(fd, closing => callback(error ?? closing)));
    });
  }

  ftruncate(fd: number, length: number, callback: Callback): void {
    this.run(callback, () => {
      const file = this.file(fd);
      file.node.resize(Number(length));
      file.changed = true;
    });
  }

  utimes(path: string, _atime: number, mtime: number, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      if (this.ofPage(full) === null) {
        this.find(full).modified = 1000 * mtime;
      }
    });
  }

  chmod(path: string, mode: number, callback: Callback): void {
    this.run(callback, () => {
      const full = resolve(this.cwd, path);
      if (this.ofPage(full) === null) {
        const node = this.find(full);
        node.mode = (node.mode & ~0o777) | (mode & 0o777);
      }
    });
  }

  fchmod(fd: number, mode: number, callback: Callback): void {
    this.run(callback, () => {
      const node = this.file(fd).node;
      node.mode = (node.mode & ~0o777) | (mode & 0o777);
    });
  }

  // A page has no users and no links.

  chown(path: string, _uid: number, _gid: number, callback: Callback): void {
    callback(failure('EPERM', path));
  }

  fchown(fd: number, _uid: number, _gid: number, callback: Callback): void {
    callback(failure('EPERM', String(fd)));
  }

  lchown(path: string, _uid: number, _gid: number, callback: Callback): void {
    callback(failure('EPERM', path));
  }

  link(path: string, _link: string, callback: Callback): void {
    callback(failure('ENOSYS', path));
  }

  symlink(path: string, _link: string, callback: Callback): void {
    callback(failure('ENOSYS', path));
  }

  readlink(path: string, callback: Callback): void {
    callback(failure('EINVAL', path));
  }
}
