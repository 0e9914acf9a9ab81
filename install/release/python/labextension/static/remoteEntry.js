// Marks the cells of gosphere notebooks that no longer show what a run from the top would show, and
// runs them again.
//
// The file is loaded by JupyterLab as it is: it is a container of webpack's module federation,
// written by hand. The kernel tells the stale cells over the comm "gosphere.cells", which this side
// opens with the IDs of the cells in the order of the document.
"use strict";
(() => {
  const NAME = "gosphere-cells";
  const TARGET = "gosphere.cells";
  const MAX_ROUNDS = 5; // of the automatic mode for one run of the user
  let scope;

  // shared returns a module of JupyterLab.
  async function shared(name) {
    const versions = scope[name];
    return (await versions[Object.keys(versions)[0]].get())();
  }

  const STYLE = `
.jp-CodeCell.gosphere-stale { --gosphere-mark: #d98200; }
.jp-CodeCell.gosphere-stale > .jp-Cell-inputWrapper > .jp-InputArea > .jp-InputPrompt { color: var(--gosphere-mark); font-weight: 600; }
.jp-CodeCell.gosphere-stale > .jp-Cell-outputWrapper { opacity: .55; }
.jp-CodeCell.gosphere-stale { box-shadow: inset 3px 0 0 var(--gosphere-mark); }
.jp-CodeCell.gosphere-possibly { box-shadow: inset 3px 0 0 color-mix(in srgb, var(--gosphere-mark) 45%, transparent); }
.jp-CodeCell.gosphere-stale::after, .jp-CodeCell.gosphere-later::after {
  content: attr(data-gosphere-why); display: block; text-align: right; padding: 1px 8px 0 0;
  font-family: var(--jp-ui-font-family); font-size: 11px; color: var(--gosphere-mark, var(--jp-ui-font-color2));
}
.gosphere-run { display: flex; align-items: center; gap: 6px; font-size: var(--jp-ui-font-size1); color: var(--jp-ui-font-color1); }
.gosphere-run[hidden] { display: none; }
.gosphere-run button { border: 0; border-radius: 3px; padding: 1px 8px; font: inherit; cursor: pointer; color: inherit; background: transparent; }
.gosphere-run button:hover { background: var(--jp-layout-color2); }
.gosphere-run button:disabled { color: var(--jp-ui-font-color3); cursor: default; background: transparent; }
.gosphere-run.gosphere-some button { background: color-mix(in srgb, #d98200 22%, transparent); }
.gosphere-run label { display: flex; align-items: center; gap: 3px; cursor: pointer; }
`;

  // A Marker marks the cells of one notebook.
  class Marker {
    constructor(panel, modules) {
      this.panel = panel;
      this.modules = modules;
      this.state = { stale: [], plan: [], later: [] };
      this.rounds = 0;
      this.addToolbar();
      const context = panel.sessionContext;
      context.kernelChanged.connect(() => this.connect());
      context.statusChanged.connect((_, status) => this.statusChanged(status));
      panel.content.model?.cells.changed.connect(() => this.cellsChanged());
      panel.content.modelChanged.connect(() => panel.content.model?.cells.changed.connect(() => this.cellsChanged()));
      panel.disposed.connect(() => { this.comm = null; });
      context.ready.then(() => this.connect());
    }

    addToolbar() {
      const node = document.createElement("div");
      node.className = "gosphere-run";
      node.hidden = true;
      this.button = document.createElement("button");
      this.button.addEventListener("click", () => { this.rounds = 0; this.runPlan(); });
      const label = document.createElement("label");
      this.automatic = document.createElement("input");
      this.automatic.type = "checkbox";
      this.automatic.addEventListener("change", () => { this.rounds = 0; this.runIfIdle(); });
      label.append(this.automatic, "auto");
      label.title = "Run stale cells again as soon as the kernel is idle";
      node.append(this.button, label);
      this.node = node;
      const item = new this.modules.Widget({ node });
      if (!this.panel.toolbar.insertAfter("cellType", "gosphere-stale", item)) {
        this.panel.toolbar.addItem("gosphere-stale", item);
      }
      this.show();
    }

    // connect opens the comm, if the kernel is one of gosphere.
    async connect() {
      this.comm = null;
      this.apply({ stale: [], plan: [], later: [] });
      this.node.hidden = true;
      const kernel = this.panel.sessionContext.session?.kernel;
      if (!kernel) return;
      const info = await kernel.info;
      if (info.implementation !== "gosphere" || this.panel.isDisposed || kernel !== this.panel.sessionContext.session?.kernel || this.comm) return;
      const comm = kernel.createComm(TARGET);
      comm.onMsg = message => { if (comm === this.comm) this.apply(message.content.data); };
      comm.onClose = () => { // the kernel does not know the target
        if (comm === this.comm) { this.comm = null; this.node.hidden = true; }
      };
      this.comm = comm;
      this.node.hidden = false;
      comm.open({ order: this.order() });
    }

    statusChanged(status) {
      if (status === "restarting" || status === "autorestarting" || status === "dead") {
        this.comm = null;
        this.restarted = true;
        this.apply({ stale: [], plan: [], later: [] });
      } else if (status === "idle" && this.restarted) {
        this.restarted = false;
        this.connect();
      } else if (status === "idle") {
        this.runIfIdle();
      }
    }

    order() { return Array.from(this.panel.content.model?.cells ?? [], cell => cell.id); }

    cellsChanged() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.comm?.send({ order: this.order() }), 200);
    }

    // apply marks the cells as the kernel says.
    apply(state) {
      this.state = state;
      const marks = new Map();
      for (const mark of state.later ?? []) marks.set(mark.id, { kind: "gosphere-later", text: "overtaken: " + mark.why.join("; ") });
      for (const mark of state.stale) {
        marks.set(mark.id, { kind: "gosphere-stale", possibly: mark.possibly, text: (mark.possibly ? "possibly stale: " : "stale: ") + mark.why.slice(0, 3).join("; ") });
      }
      for (const cell of this.panel.content.widgets) {
        const mark = marks.get(cell.model.id);
        cell.toggleClass("gosphere-stale", mark?.kind === "gosphere-stale");
        cell.toggleClass("gosphere-later", mark?.kind === "gosphere-later");
        cell.toggleClass("gosphere-possibly", !!mark?.possibly);
        if (mark) cell.node.dataset.gosphereWhy = mark.text;
        else delete cell.node.dataset.gosphereWhy;
      }
      if (state.plan.length === 0) this.rounds = 0;
      this.show();
    }

    show() {
      const n = this.state.stale.length;
      this.button.textContent = n === 0 ? "Run stale" : `Run stale (${n})`;
      this.button.disabled = this.state.plan.length === 0;
      this.button.title = n === 0 ? "No cell is stale" : "Run the stale cells again, and those that they need";
      this.node.classList.toggle("gosphere-some", n > 0);
    }

    // runIfIdle runs the plan in the automatic mode, unless it has not helped several times.
    runIfIdle() {
      clearTimeout(this.idle);
      if (!this.automatic.checked) return;
      this.idle = setTimeout(() => {
        if (this.state.plan.length > 0 && this.panel.sessionContext.session?.kernel?.status === "idle" && this.rounds < MAX_ROUNDS) {
          this.rounds++;
          this.runPlan();
        }
      }, 100);
    }

    async runPlan() {
      if (this.running || this.state.plan.length === 0) return;
      this.running = true;
      try {
        const byID = new Map(this.panel.content.widgets.map(cell => [cell.model.id, cell]));
        const cells = this.state.plan.map(id => byID.get(id)).filter(cell => cell);
        await this.modules.NotebookActions.runCells(this.panel.content, cells, this.panel.sessionContext);
      } finally {
        this.running = false;
      }
      this.runIfIdle();
    }
  }

  async function extension() {
    const [{ INotebookTracker, NotebookActions }, { Widget }] = await Promise.all([shared("@jupyterlab/notebook"), shared("@lumino/widgets")]);
    return {
      id: NAME + ":plugin",
      description: "Marks stale cells of gosphere notebooks.",
      autoStart: true,
      requires: [INotebookTracker],
      activate(app, tracker) {
        const style = document.createElement("style");
        style.textContent = STYLE;
        document.head.append(style);
        const markers = new WeakMap();
        const add = panel => markers.set(panel, new Marker(panel, { NotebookActions, Widget }));
        tracker.forEach(add);
        tracker.widgetAdded.connect((_, panel) => add(panel));
        app.commands.addCommand("gosphere:run-stale", {
          label: "Run Stale Cells",
          execute: () => markers.get(tracker.currentWidget)?.runPlan(),
        });
      },
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB[NAME] = {
    init(given) { scope = given; },
    async get(module) {
      if (module !== "./extension") throw new Error(`${NAME} has no module ${module}`);
      const plugin = await extension();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
