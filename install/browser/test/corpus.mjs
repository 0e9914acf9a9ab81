// Plays files of cells with what they must show, each case in a kernel of its own.
//
//     node corpus.mjs gosphere.wasm FILE.cells...
//
// It prints a table with the number of cases of each file that show what the native program shows, and of those that do
// not because a browser lacks something, if the cells show a text that says so. All other cases are failures.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { Kernel, compile } from './kernel.mjs';

/** Reads the cases of a file. */
export function readCases(text) {
  const cases = [];
  let section = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('=== ')) {
      const [name, category] = line.slice(4).split(' | ');
      cases.push({ name, category, sections: [] });
      section = null;
    } else if (line.startsWith('--- ')) {
      section = { marker: line.slice(4).trim(), lines: [] };
      cases.at(-1).sections.push(section);
    } else if (section) {
      section.lines.push(line);
    }
  }
  for (const one of cases) {
    one.sections = one.sections.map(({ marker, lines }) => ({ marker, text: lines.join('\n').replace(/\n+$/, '') }));
  }
  return cases;
}

const plain = text => text.replace(/\x1b\[[0-9;]*m/g, '');

/** Runs cells and returns what they showed: {stdout, value, errors}. */
export async function runCells(module, cells, { limit = 60000, folder, onCell = () => undefined } = {}) {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'cells-'));
  const shown = { stdout: '', stderr: '', value: null, errors: [], display: [] };
  let parent = null;
  let finish = null;
  let dead = null;
  const kernel = new Kernel(
    module,
    own,
    message => {
      const type = message.header.msg_type;
      if (type === 'status' && message.content.execution_state === 'dead') {
        dead = message.content.reason;
        finish?.();
        return;
      }
      if (type === 'stream') {
        shown[message.content.name] += message.content.text;
      }
      if (message.parent_header.msg_id !== parent) {
        return;
      }
      if (type === 'execute_result') {
        shown.value = message.content.data['text/plain'];
      } else if (type === 'display_data') {
        shown.display.push(message.content.data);
      } else if (type === 'error') {
        shown.errors.push(plain([message.content.ename, message.content.evalue, ...message.content.traceback].join('\n')));
      } else if (type === 'status' && message.content.execution_state === 'idle') {
        finish?.();
      }
    },
    { log: text => (shown.stderr += text) }
  );
  try {
    await kernel.ready;
    for (const [i, code] of cells.entries()) {
      shown.value = null;
      const before = shown.errors.length;
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`cell ${i + 1} took more than ${limit / 1000} s`)), limit);
        finish = () => {
          clearTimeout(timer);
          resolve();
        };
        parent = kernel.send('shell', 'execute_request', { code, silent: false, store_history: true, allow_stdin: false, stop_on_error: false });
      });
      if (dead) {
        throw new Error(dead);
      }
      if (onCell(i, shown.errors.length > before ? shown.errors.at(-1) : null) === false) {
        break;
      }
    }
  } finally {
    await kernel.terminate();
    if (!folder) {
      rmSync(own, { recursive: true, force: true });
    }
  }
  return shown;
}

const end = text => text.replace(/\s+$/, '');

/** Plays a case and returns null, or what was wrong. */
async function play(module, one) {
  const cells = one.sections.filter(s => s.marker === 'cell' || s.marker === 'errcell');
  const wanted = Object.fromEntries(one.sections.filter(s => !cells.includes(s)).map(s => [s.marker, s.text]));
  let wrong = null;
  let last = null;
  const shown = await runCells(
    module,
    cells.map(c => c.text),
    {
      onCell: (i, error) => {
        last = error;
        const fails = cells[i].marker === 'errcell' || (wanted.err !== undefined && i === cells.length - 1);
        if (error && !fails) {
          wrong = `refused: ${error.split('\n').slice(0, 4).join(' / ')}`;
        } else if (!error && fails) {
          wrong = 'accepted: a cell that must fail does not';
        }
        return wrong === null;
      }
    }
  ).catch(error => {
    wrong = `died: ${error.message}`;
    return null;
  });
  if (wrong || !shown) {
    return wrong;
  }
  if (wanted.err !== undefined && wanted.err !== '*' && !last?.includes(wanted.err)) {
    return `wrong error: ${last}`;
  }
  if (wanted.out !== undefined && end(shown.stdout) !== end(wanted.out)) {
    return `wrong output: ${JSON.stringify(shown.stdout)}, want ${JSON.stringify(wanted.out)}`;
  }
  if (wanted.val !== undefined && end(shown.value ?? '') !== end(wanted.val)) {
    return `wrong value: ${JSON.stringify(shown.value)}, want ${JSON.stringify(wanted.val)}`;
  }
  return null;
}

/** Prints a row of the table. */
function row(name, counts) {
  console.log(name.padEnd(24) + counts.map(count => String(count).padStart(10)).join(''));
}

async function main([binary, ...files]) {
  const module = await compile(binary);
  const sums = [0, 0, 0, 0];
  row('file', ['played', 'native', 'browser', 'other']);
  for (const file of files) {
    const counts = [0, 0, 0, 0];
    for (const one of readCases(readFileSync(file, 'utf8'))) {
      const wrong = await play(module, one);
      const kind = !wrong ? 1 : /\bbrowser\b/.test(wrong) ? 2 : 3;
      counts[0]++;
      counts[kind]++;
      if (wrong) {
        console.log(`${basename(file)}: ${one.name}: ${wrong}`);
      }
    }
    row(basename(file), counts);
    counts.forEach((count, i) => (sums[i] += count));
  }
  row('all', sums);
  process.exit(sums[3] ? 1 : 0);
}

if (process.argv[1]?.endsWith('corpus.mjs')) {
  await main(process.argv.slice(2));
}
