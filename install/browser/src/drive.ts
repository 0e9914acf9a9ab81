// The files of the page for the kernel.

import { PageConfig, PathExt, URLExt } from '@jupyterlab/coreutils';
import { Contents } from '@jupyterlab/services';

import { FileRequest, IEntry } from './messages.js';

function entryOf(model: Contents.IModel): IEntry {
  return {
    name: model.name,
    folder: model.type === 'directory',
    size: model.size ?? 0,
    modified: Date.parse(model.last_modified) || 0
  };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}

function toBase64(data: Uint8Array): string {
  let text = '';
  const step = 0x8000; // more arguments may exceed the stack
  for (let i = 0; i < data.length; i += step) {
    text += String.fromCharCode(...data.subarray(i, i + step));
  }
  return btoa(text);
}

/** Returns the bytes of a file as they are on a disk. */
function bytesOf(model: Contents.IModel): Uint8Array {
  if (model.format === 'base64') {
    return fromBase64(model.content);
  }
  const text = typeof model.content === 'string' ? model.content : JSON.stringify(model.content, null, 1) + '\n';
  return new TextEncoder().encode(text);
}

/** Returns the model with which a file of these bytes is saved. */
function modelOf(path: string, data: Uint8Array): Partial<Contents.IModel> {
  const common = { path, name: PathExt.basename(path) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    if (path.endsWith('.ipynb')) {
      return { ...common, type: 'notebook', format: 'json', content: JSON.parse(text) };
    }
    return { ...common, type: 'file', format: 'text', content: text };
  } catch {
    return { ...common, type: 'file', format: 'base64', content: toBase64(data) };
  }
}

/** Returns what the site has in a folder, without what the reader has made there. */
export async function entriesOfSite(folder: string): Promise<{ type: string; path: string }[]> {
  const response = await fetch(URLExt.join(PageConfig.getBaseUrl(), 'api/contents', folder, 'all.json')).catch(() => null);
  return response?.ok ? (await response.json()).content : [];
}

/** Drive performs operations on the files of a contents manager, and reads the data sets of the program. */
export class Drive {
  constructor(
    private contents: Contents.IManager,
    private data: (name: string) => Promise<Uint8Array>
  ) {}

  /** Performs an operation. An error has one of the codes of POSIX as its message. */
  async perform(request: FileRequest): Promise<any> {
    const contents = this.contents;
    switch (request.op) {
      case 'data':
        return this.data(request.path);
      case 'stat':
        return entryOf(await this.get(request.path, false));
      case 'list': {
        const model = await this.get(request.path, true);
        if (model.type !== 'directory') {
          throw new Error('ENOTDIR');
        }
        return (model.content as Contents.IModel[]).map(entryOf);
      }
      case 'read':
        return bytesOf(await this.get(request.path, true));
      case 'write':
        await contents.save(request.path, modelOf(request.path, request.data));
        return null;
      case 'mkdir': {
        if (await this.get(request.path, false).catch(() => null)) {
          throw new Error('EEXIST');
        }
        const made = await contents.newUntitled({ path: PathExt.dirname(request.path), type: 'directory' });
        await contents.rename(made.path, request.path);
        return null;
      }
      case 'remove':
        await this.checkMade(request.path);
        await contents.delete(request.path);
        return null;
      case 'rename':
        await this.get(request.path, false);
        await this.checkMade(request.path);
        await contents.rename(request.path, request.to);
        return null;
    }
  }

  /**
   * Throws an error if the site has the file or folder. The page can write over it, but not remove it: after contents.delete,
   * which reports no error, only what the reader has written is lost, and os.RemoveAll would try for ever.
   */
  private async checkMade(path: string): Promise<void> {
    if ((await entriesOfSite(PathExt.dirname(path))).some(entry => entry.path === path)) {
      throw new Error('EROFS');
    }
  }

  private async get(path: string, content: boolean): Promise<Contents.IModel> {
    let model: Contents.IModel | null;
    try {
      model = await this.contents.get(path, { content });
    } catch {
      model = null;
    }
    if (!model) {
      throw new Error('ENOENT');
    }
    return model;
  }
}
