// Tests the extension with stand-ins for VS Code and its language client: VS Code itself cannot be
// started without a display. Run with: node --test install/vscode/test
"use strict";

const assert = require("node:assert");
const { chmodSync, mkdtempSync, readFileSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { test } = require("node:test");

/** Loads the extension with a program that answers "list --json" with a text and records its calls. */
function load(listed, status) {
  const folder = mkdtempSync(join(tmpdir(), "gosphere-"));
  const path = join(folder, "gosphere");
  const log = join(folder, "log");
  writeFileSync(path, `#!/bin/sh\necho "$@" >> ${log}\nif [ "$1" = list ]; then echo '${listed}'; fi\nif [ ${status} != 0 ]; then echo 'no such thing' >&2; exit ${status}; fi\n`);
  chmodSync(path, 0o755);
  writeFileSync(log, "");
  const seen = { commands: {}, messages: [], errors: [], servers: [], calls: () => readFileSync(log, "utf8").split("\n").filter(Boolean) };
  const settings = { path, register: true };
  const stand = {
    vscode: {
      workspace: { getConfiguration: () => ({ get: (name) => settings[name] }) },
      window: {
        showInformationMessage: (text) => seen.messages.push(text),
        showErrorMessage: (text) => seen.errors.push(text),
        showOpenDialog: async () => [{ fsPath: "/run/kernel-1.json" }],
      },
      commands: {
        registerCommand: (name, task) => {
          seen.commands[name] = task;
          return {};
        },
      },
    },
    "vscode-languageclient/node": {
      LanguageClient: class {
        constructor(_id, _name, server, client) {
          this.state = { server, client, running: false };
          seen.servers.push(this.state);
        }
        async start() {
          this.state.running = true;
        }
        async stop() {
          this.state.running = false;
        }
      },
    },
  };
  const original = Module._load;
  Module._load = (name, ...rest) => stand[name] ?? original(name, ...rest);
  try {
    delete require.cache[require.resolve("../extension.js")];
    return [require("../extension.js"), seen];
  } finally {
    Module._load = original;
  }
}

test("the kernel is registered if Jupyter does not list it, and the server starts", async () => {
  const [extension, seen] = load("[]", 0);
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.calls(), ["list --json", "install"]);
  assert.strictEqual(seen.messages.length, 1);
  assert.deepStrictEqual(seen.errors, []);
  assert.strictEqual(seen.servers.length, 1);
  assert.deepStrictEqual(seen.servers[0].server.args, ["lsp"]);
  assert.ok(seen.servers[0].running);
  assert.ok(seen.servers[0].client.documentSelector.some((d) => d.notebook === "jupyter-notebook" && d.language === "go"));
});

test("a kernel that is listed is not registered again", async () => {
  const [extension, seen] = load('[{"name":"gosphere"}]', 0);
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.calls(), ["list --json"]);
  assert.deepStrictEqual(seen.messages, []);
});

test("the commands restart the server, attach it to a kernel and register the kernel", async () => {
  const [extension, seen] = load('[{"name":"gosphere"}]', 0);
  await extension.activate({ subscriptions: [] });
  await seen.commands["gosphere.restart"]();
  assert.deepStrictEqual(seen.servers.map((s) => s.running), [false, true]);
  await seen.commands["gosphere.attach"]();
  assert.deepStrictEqual(seen.servers[2].server.args, ["lsp", "--connection=/run/kernel-1.json"]);
  assert.deepStrictEqual(seen.servers.map((s) => s.running), [false, false, true]);
  await seen.commands["gosphere.install"]();
  assert.deepStrictEqual(seen.calls(), ["list --json", "install"]);
  await extension.deactivate();
  assert.ok(seen.servers.every((s) => !s.running));
});

test("an error of the program is shown, and the server starts all the same", async () => {
  const [extension, seen] = load("", 1);
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.errors, ["gosphere: no such thing"]);
  assert.strictEqual(seen.servers.length, 1);
});

test("each command of the manifest is registered", async () => {
  const [extension, seen] = load("[]", 0);
  await extension.activate({ subscriptions: [] });
  const manifest = JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8"));
  assert.deepStrictEqual(manifest.contributes.commands.map((c) => c.command).sort(), Object.keys(seen.commands).sort());
});
