// The page's side of a kernel.

import { KernelMessage } from '@jupyterlab/services';
import { IKernel } from '@jupyterlite/services';
import { ISignal, Signal } from '@lumino/signaling';

import { Drive } from './drive.js';
import { FromWorker, IJupyterMessage, ToWorker } from './messages.js';

/** The worker of a kernel, as far as it is used here. */
export interface IWorker {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToWorker, transfer: Transferable[]): void;
  terminate(): void;
}

export interface IOptions extends IKernel.IOptions {
  module: Promise<WebAssembly.Module>;
  worker: () => IWorker;
  drive: Drive;
  env: Record<string, string>;
}

/** Kernel passes messages between JupyterLite and the worker that runs the compiled kernel. */
export class Kernel implements IKernel {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly ready: Promise<void>;
  private worker: IWorker;
  private disposed_ = new Signal<this, void>(this);
  private isDisposed_ = false;
  private running: KernelMessage.IHeader | null = null; // of the request whose status was published last

  constructor(private options: IOptions) {
    this.id = options.id;
    this.name = options.name;
    this.location = options.location;
    this.worker = options.worker();
    let started: () => void;
    this.ready = new Promise((resolve, reject) => {
      started = resolve;
      options.module.catch(reject);
    });
    this.worker.onmessage = event => this.take(event.data, started);
    this.worker.onerror = event => this.ended(event.message);
    options.module.then(
      module => this.post({ kind: 'start', module, folder: folderOf(options.location), env: options.env }),
      error => this.ended(error.message)
    );
  }

  get isDisposed(): boolean {
    return this.isDisposed_;
  }

  get disposed(): ISignal<this, void> {
    return this.disposed_;
  }

  dispose(): void {
    if (this.isDisposed_) {
      return;
    }
    this.isDisposed_ = true;
    this.worker.terminate();
    this.disposed_.emit();
    Signal.clearData(this);
  }

  /** Passes a message to the kernel, which keeps the order. It does not wait for the answer. */
  async handleMessage(message: KernelMessage.IMessage): Promise<void> {
    const channel = message.header.msg_type === 'input_reply' ? 'stdin' : message.channel;
    this.post({ kind: 'message', message: { ...(message as any), channel } });
  }

  /** Interrupts the running cells. */
  interrupt(): void {
    this.post({ kind: 'interrupt' });
  }

  private post(message: ToWorker): void {
    if (!this.isDisposed_) {
      this.worker.postMessage(message, []);
    }
  }

  private take(message: FromWorker, started: () => void): void {
    switch (message.kind) {
      case 'ready':
        started();
        break;
      case 'message':
        this.send(message.message);
        break;
      case 'file':
        this.options.drive.perform(message.request).then(
          result => this.post({ kind: 'file', id: message.id, result }),
          error => this.post({ kind: 'file', id: message.id, error: error.message ?? String(error) })
        );
        break;
      case 'log':
        console.warn(`gosphere: ${message.text}`);
        break;
      case 'exit':
        this.ended(message.reason);
    }
  }

  private send(message: IJupyterMessage): void {
    if (message.header.msg_type === 'status') {
      this.running = message.parent_header;
    }
    // JupyterLite finds the client of a reply by the session in its header.
    const session = message.parent_header?.session ?? message.header.session;
    this.options.sendMessage({ ...message, header: { ...message.header, session } } as any);
  }

  /** Reports that the program has ended, which only a crash or a shutdown request does. */
  private ended(reason: string): void {
    if (this.isDisposed_) {
      return;
    }
    console.error(`gosphere: ${reason}`);
    const parentHeader = this.running as any;
    const session = parentHeader?.session ?? '';
    this.options.sendMessage(
      KernelMessage.createMessage({
        channel: 'iopub',
        msgType: 'stream',
        session,
        parentHeader,
        content: { name: 'stderr', text: `${reason}\nRestart the kernel to continue. Its variables are lost.\n` }
      } as any)
    );
    this.options.sendMessage(
      KernelMessage.createMessage({ channel: 'iopub', msgType: 'status', session, parentHeader, content: { execution_state: 'dead' } } as any)
    );
  }
}

/** Returns the folder of a location, which may begin with the name of a drive. */
export function folderOf(location: string): string {
  const colon = location.indexOf(':');
  return colon >= 0 ? location.slice(colon + 1) : location;
}
