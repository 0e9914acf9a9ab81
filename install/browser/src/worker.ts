// The worker of a page.

import './wasm_exec.js';
import { FromWorker, ToWorker } from './messages.js';
import { Program } from './program.js';

const scope = self as any;
const program = new Program((message: FromWorker, transfer?: ArrayBuffer[]) => scope.postMessage(message, transfer ?? []));
scope.onmessage = (event: MessageEvent<ToWorker>) => program.take(event.data);
