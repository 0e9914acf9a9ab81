// A kernel in Node, which runs the same program as a page does.

import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';

/** Returns the compiled kernel in a file with or without compression. */
export async function compile(file) {
  const data = readFileSync(file);
  return WebAssembly.compile(file.endsWith('.gz') ? gunzipSync(data) : data);
}

// The data sets of the program, which a page downloads.
const dataFolder = fileURLToPath(new URL('../../../asymvlm/embedding/scenes_minilm', import.meta.url));

/** Performs an operation on files below a folder, as the page does on its own. */
function perform(root, request) {
  const path = join(root, request.path);
  try {
    switch (request.op) {
      case 'data':
        return new Uint8Array(readFileSync(join(dataFolder, request.path)));
      case 'stat': {
        const s = statSync(path);
        return { name: basename(path), folder: s.isDirectory(), size: s.size, modified: s.mtimeMs };
      }
      case 'list':
        return readdirSync(path).map(name => perform(root, { op: 'stat', path: join(request.path, name) }));
      case 'read':
        return new Uint8Array(readFileSync(path));
      case 'write':
        return writeFileSync(path, request.data);
      case 'mkdir':
        return mkdirSync(path);
      case 'remove':
        return rmSync(path, { recursive: true });
      case 'rename':
        return renameSync(path, join(root, request.to));
    }
  } catch (error) {
    throw new Error(error.code ?? 'EIO');
  }
}

/** Kernel is a kernel with the files of a folder. onMessage receives its messages. */
export class Kernel {
  constructor(module, folder, onMessage, { env = {}, cwd = '', log = text => process.stderr.write(text) } = {}) {
    this.sent = 0;
    this.worker = new Worker(new URL('./worker.mjs', import.meta.url));
    this.ready = new Promise((resolve, reject) => {
      this.worker.on('error', reject);
      this.worker.on('message', message => {
        switch (message.kind) {
          case 'ready':
            resolve();
            break;
          case 'message':
            onMessage(message.message);
            break;
          case 'file':
            try {
              this.worker.postMessage({ kind: 'file', id: message.id, result: perform(folder, message.request) });
            } catch (error) {
              this.worker.postMessage({ kind: 'file', id: message.id, error: error.message });
            }
            break;
          case 'log':
            log(message.text);
            break;
          case 'exit':
            this.ended = message.reason;
            reject(new Error(message.reason));
            onMessage({ channel: 'iopub', header: { msg_type: 'status' }, parent_header: {}, content: { execution_state: 'dead', reason: message.reason } });
        }
      });
    });
    this.ready.catch(() => undefined);
    this.worker.postMessage({ kind: 'start', module, folder: cwd, env });
  }

  /** Sends a request and returns its id. */
  send(channel, msg_type, content, more = {}) {
    const msg_id = `request-${++this.sent}`;
    const header = { msg_id, msg_type, session: 'test', username: 'test', version: '5.3', date: new Date().toISOString() };
    this.worker.postMessage({ kind: 'message', message: { channel, header, parent_header: {}, metadata: {}, content, ...more } });
    return msg_id;
  }

  interrupt() {
    this.worker.postMessage({ kind: 'interrupt' });
  }

  async terminate() {
    await this.worker.terminate();
  }
}
