// The kernel in its worker: it connects the compiled program with the messages of the page.

import { FileSystem, resolve, siteFolder } from './files.js';
import { FileRequest, FromWorker, IJupyterMessage, ToWorker } from './messages.js';

declare const Go: any; // wasm_exec.js of the Go distribution sets it

const delimiter = '<IDS|MSG>';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Decodes the frames of a message: topics, the delimiter, the signature, four parts in JSON and buffers. */
function decode(channel: string, frames: Uint8Array[]): IJupyterMessage {
  const begin = frames.findIndex(frame => decoder.decode(frame) === delimiter) + 2;
  const [header, parent_header, metadata, content] = frames.slice(begin, begin + 4).map(frame => JSON.parse(decoder.decode(frame)));
  return { channel, header, parent_header, metadata, content, buffers: frames.slice(begin + 4).map(frame => frame.buffer as ArrayBuffer) };
}

/** Encodes a message to frames. */
function encode(message: IJupyterMessage): Uint8Array[] {
  const parts = [message.header, message.parent_header, message.metadata, message.content];
  const buffers = (message.buffers ?? []).map(buffer =>
    ArrayBuffer.isView(buffer) ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength) : new Uint8Array(buffer)
  );
  return [encoder.encode(delimiter), new Uint8Array(0), ...parts.map(part => encoder.encode(JSON.stringify(part ?? {}))), ...buffers];
}

/** Program runs the kernel. */
export class Program {
  private waiting: IJupyterMessage[] = []; // until the program is ready
  private ready = false;
  private asked = new Map<number, { resolve: (value: any) => void; reject: (error: Error) => void }>();
  private asks = 0;
  private text = new TextDecoder();

  constructor(private post: (message: FromWorker, transfer?: ArrayBuffer[]) => void) {}

  /** Handles a message of the page. */
  take(message: ToWorker): void {
    switch (message.kind) {
      case 'start':
        void this.run(message.module, message.folder, message.env);
        break;
      case 'message':
        this.deliver(message.message);
        break;
      case 'interrupt':
        (globalThis as any).gosphereInterrupt?.();
        break;
      case 'file': {
        const call = this.asked.get(message.id);
        this.asked.delete(message.id);
        if (message.error !== undefined) {
          call?.reject(new Error(message.error));
        } else {
          call?.resolve(message.result);
        }
      }
    }
  }

  private deliver(message: IJupyterMessage): void {
    if (!this.ready) {
      this.waiting.push(message);
      return;
    }
    (globalThis as any).gosphereDeliver(message.channel, encode(message));
  }

  private ask(request: FileRequest): Promise<any> {
    const id = ++this.asks;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.post({ kind: 'file', id, request });
    });
  }

  /** Defines what the program expects in the global object, and runs it to its end. */
  private async run(module: WebAssembly.Module, folder: string, env: Record<string, string>): Promise<void> {
    const global = globalThis as any;
    const files = new FileSystem((_fd, data) => this.post({ kind: 'log', text: this.text.decode(data, { stream: true }) }), request => this.ask(request));
    files.cwd = resolve(siteFolder, folder);
    global.fs = files;
    global.path = { resolve: (...parts: string[]) => resolve(files.cwd, ...parts) };
    const id = (): number => 0;
    global.process = {
      getuid: id,
      getgid: id,
      geteuid: id,
      getegid: id,
      getgroups: () => [0],
      pid: 1,
      ppid: 0,
      umask: () => 0o022,
      cwd: () => files.cwd,
      chdir: (path: string) => {
        files.cwd = resolve(files.cwd, path);
      }
    };
    const channel = new MessageChannel();
    const turns: (() => void)[] = [];
    channel.port1.onmessage = () => turns.shift()?.();
    global.gosphereTurn = (ended: () => void) => {
      if (global.setImmediate) {
        global.setImmediate(ended); // Node handles up to 1,000 messages of a channel in one turn
        return;
      }
      turns.push(ended);
      channel.port2.postMessage(null);
    };
    global.gosphereSend = (name: string, frames: Uint8Array[]) => {
      const message = decode(name, frames);
      this.post({ kind: 'message', message }, message.buffers as ArrayBuffer[]);
    };
    global.gosphereReady = () => {
      this.ready = true;
      this.post({ kind: 'ready' });
      for (const message of this.waiting.splice(0)) {
        this.deliver(message);
      }
    };
    const go = new Go();
    go.env = { HOME: '/home', TMPDIR: '/tmp', ...env };
    let reason = 'the kernel has ended';
    go.exit = (code: number) => {
      reason = `the kernel has ended with exit status ${code}`;
    };
    try {
      const instance = await WebAssembly.instantiate(module, go.importObject);
      global.gosphereMemory = instance.exports.mem; // for the vector instructions of package device
      await go.run(instance);
    } catch (error: any) {
      reason = `the kernel has failed: ${error.message ?? error}`;
    }
    channel.port1.close();
    this.post({ kind: 'exit', reason });
  }
}
