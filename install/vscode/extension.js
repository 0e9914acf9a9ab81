// The extension for VS Code: it registers the kernel of gosphere with Jupyter, and starts the
// language server for Go cells of notebooks, files of cells and scripts.
"use strict";

const { execFile } = require("node:child_process");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The documents that the server checks. Go files of packages are left to gopls. */
const documents = [
  { notebook: "jupyter-notebook", language: "go" },
  { scheme: "file", language: "go", pattern: "**/*.cells.go" },
];

let client;

/** The program, from the settings. */
function program() {
  return vscode.workspace.getConfiguration("gosphere").get("path", "gosphere");
}

/** Runs the program and returns what it prints. An error has what it wrote on standard error. */
function run(...words) {
  return new Promise((resolve, reject) => {
    execFile(program(), words, (error, stdout, stderr) => (error ? reject(new Error(stderr.trim() || error.message)) : resolve(stdout)));
  });
}

/** Reports whether Jupyter lists a kernel of the program. */
async function isRegistered() {
  const list = JSON.parse(await run("list", "--json"));
  return Array.isArray(list) && list.length > 0;
}

/** Registers the kernel, unless it is registered already. */
async function register(always) {
  if (!always && (!vscode.workspace.getConfiguration("gosphere").get("register", true) || (await isRegistered()))) {
    return;
  }
  await run("install");
  vscode.window.showInformationMessage("The kernel Go (gosphere) is registered. Choose it with Select Kernel, Jupyter Kernel.");
}

/** Starts the language server, attached to a kernel if its connection file is given. */
async function start(connection) {
  const words = ["lsp"];
  if (connection) {
    words.push("--connection=" + connection);
  }
  client = new LanguageClient("gosphere", "gosphere", { command: program(), args: words }, { documentSelector: documents });
  await client.start();
}

/** Stops the language server. */
async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

/** Calls a function, and shows its error to the user. */
async function showing(task) {
  try {
    await task();
  } catch (error) {
    vscode.window.showErrorMessage("gosphere: " + error.message);
  }
}

/** Asks for a connection file and attaches the server to its kernel. */
async function attach() {
  const files = await vscode.window.showOpenDialog({ canSelectMany: false, title: "Connection file of a kernel", filters: { JSON: ["json"] } });
  if (files && files.length > 0) {
    await stop();
    await start(files[0].fsPath);
  }
}

async function activate(context) {
  const command = (name, task) => context.subscriptions.push(vscode.commands.registerCommand("gosphere." + name, () => showing(task)));
  command("install", () => register(true));
  command("restart", async () => {
    await stop();
    await start();
  });
  command("attach", attach);
  await showing(() => register(false));
  await showing(() => start());
}

module.exports = { activate, deactivate: stop };
