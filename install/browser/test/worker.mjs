// The worker of a page, in Node.

import { parentPort } from 'node:worker_threads';

import '../lib/wasm_exec.js';
import { Program } from '../lib/program.js';

const program = new Program((message, transfer) => parentPort.postMessage(message, transfer ?? []));
parentPort.on('message', message => program.take(message));
