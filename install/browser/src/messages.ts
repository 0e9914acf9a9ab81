// Messages between the page and the worker that runs the kernel.

/** A message of the Jupyter protocol, with its four JSON parts decoded. */
export interface IJupyterMessage {
  channel: string;
  header: any;
  parent_header: any;
  metadata: any;
  content: any;
  buffers?: (ArrayBuffer | ArrayBufferView)[];
}

/** An entry of a folder of the page. */
export interface IEntry {
  name: string;
  folder: boolean;
  size: number;
  modified: number; // milliseconds since 1970
}

/**
 * An operation on the files of the page. Paths are relative to their root, without a leading slash. The operation data reads a data set
 * of the program, and path is its name.
 */
export type FileRequest =
  | { op: 'data'; path: string }
  | { op: 'stat'; path: string }
  | { op: 'list'; path: string }
  | { op: 'read'; path: string }
  | { op: 'write'; path: string; data: Uint8Array }
  | { op: 'mkdir'; path: string }
  | { op: 'remove'; path: string }
  | { op: 'rename'; path: string; to: string };

export type ToWorker =
  | { kind: 'start'; module: WebAssembly.Module; folder: string; env: Record<string, string> }
  | { kind: 'message'; message: IJupyterMessage }
  | { kind: 'interrupt' }
  | { kind: 'file'; id: number; result?: any; error?: string };

export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'message'; message: IJupyterMessage }
  | { kind: 'file'; id: number; request: FileRequest }
  | { kind: 'log'; text: string }
  | { kind: 'exit'; reason: string };
