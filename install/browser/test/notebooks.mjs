// Runs notebooks in Node, without a page, and stores the executed copies:
//
//     node notebooks.mjs gosphere.wasm FOLDER OUT [--limit=S] NOTEBOOK...
//
// FOLDER is the folder of the notebooks, whose files the cells see. A notebook that runs for longer than S seconds is ended,
// and its copy has what was shown until then. gosphere check --executed compares the copies.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Kernel, compile } from './kernel.mjs';

/** Returns the output of a message in a notebook, or null. */
function outputOf({ header, content }, count) {
  const { data, metadata = {} } = content;
  switch (header.msg_type) {
    case 'stream':
      return { output_type: 'stream', name: content.name, text: content.text };
    case 'display_data':
      return { output_type: 'display_data', data, metadata };
    case 'execute_result':
      return { output_type: 'execute_result', data, metadata, execution_count: count };
    case 'error':
      return { output_type: 'error', ename: content.ename, evalue: content.evalue, traceback: content.traceback };
  }
  return null;
}

/** Adds an output to a cell; a stream continues the one before it. */
function add(outputs, output) {
  const last = outputs.at(-1);
  if (output.output_type === 'stream' && last?.output_type === 'stream' && last.name === output.name) {
    last.text += output.text;
  } else {
    outputs.push(output);
  }
}

/** Runs the cells of a notebook in place until the limit in s, and returns the times of the cells in ms and the errors. */
async function run(module, folder, path, notebook, limit) {
  const times = [];
  const errors = [];
  const displays = new Map();
  let cell = null;
  let parent = null;
  let finish = null;
  let wipe = false;
  const handle = message => {
    const { header, content } = message;
    if (header.msg_type === 'status' && content.execution_state === 'dead') {
      finish?.();
    } else if (header.msg_type === 'update_display_data') {
      for (const output of displays.get(content.transient?.display_id) ?? []) {
        Object.assign(output, { data: content.data, metadata: content.metadata ?? {} });
      }
    } else if (message.parent_header.msg_id !== parent) {
      return;
    } else if (header.msg_type === 'clear_output') {
      wipe = content.wait;
      if (!wipe) {
        cell.outputs = [];
      }
    } else if (header.msg_type === 'execute_reply') {
      cell.execution_count = content.execution_count;
    } else if (header.msg_type === 'status' && content.execution_state === 'idle') {
      finish?.();
    } else {
      const output = outputOf(message, content.execution_count);
      if (output) {
        cell.outputs = wipe ? [] : cell.outputs;
        wipe = false;
        add(cell.outputs, output);
        const id = content.transient?.display_id;
        if (id) {
          displays.set(id, [...(displays.get(id) ?? []), output]);
        }
      }
    }
  };
  const kernel = new Kernel(module, folder, handle, { log: () => undefined, cwd: dirname(path) });
  const cells = notebook.cells.filter(each => each.cell_type === 'code');
  let timer;
  try {
    await kernel.ready;
    timer = setTimeout(() => {
      kernel.ended ??= `ended after ${limit} s`;
      finish?.();
    }, 1000 * limit);
    cells.forEach(each => { each.outputs = []; });
    for (cell of cells) {
      wipe = false;
      const began = performance.now();
      await new Promise(resolve => {
        finish = resolve;
        const code = [cell.source].flat().join('');
        parent = kernel.send('shell', 'execute_request', { code, silent: false, store_history: true, allow_stdin: false, stop_on_error: false });
      });
      times.push(performance.now() - began);
      if (kernel.ended) {
        errors.push(`${kernel.ended}, in cell ${times.length} of ${cells.length}`);
        break;
      }
      if (!cell.metadata.tags?.includes('raises-exception')) {
        errors.push(...cell.outputs.filter(output => output.output_type === 'error').map(output => `${output.ename}: ${output.evalue}`));
      }
    }
  } finally {
    clearTimeout(timer);
    await kernel.terminate();
  }
  return { times, errors };
}

const [binary, folder, out, ...rest] = process.argv.slice(2);
const paths = rest.filter(each => !each.startsWith('--limit='));
const limit = Number(rest.find(each => each.startsWith('--limit='))?.slice('--limit='.length) ?? 86_400);
const module = await compile(binary);
let failed = 0;
for (const path of paths) {
  const notebook = JSON.parse(readFileSync(join(folder, path), 'utf8'));
  const { times, errors } = await run(module, folder, path, notebook, limit);
  const copy = join(out, path);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, JSON.stringify(notebook, null, 1) + '\n');
  const whole = times.reduce((sum, time) => sum + time, 0);
  console.log(`${path}: ${errors.length ? errors.join('; ').slice(0, 300) : 'ran'} (cells ${(whole / 1000).toFixed(1)} s, the slowest ${times.map((time, i) => [time, i + 1]).sort((a, b) => b[0] - a[0]).slice(0, 4).map(([time, i]) => `${i}: ${(time / 1000).toFixed(1)} s`).join(', ')})`);
  failed += errors.length > 0;
}
process.exit(failed ? 1 : 0);
