"""Compares the widgets of gosphere with those of ipywidgets 8.

For every widget the same one is made by a cell of gosphere and by ipywidgets; what the page would get of both must be
equal: all attributes, their values, and what refers to what. Then each is moved as a page moves it, and the answers compared.
"""
import json
import queue

import ipywidgets
from jupyter_client.manager import start_new_kernel

# Each widget twice: the Go of a cell, and the Python.
PAIRS = [
    ('widget.NewIntSlider("d", 3, 2, 64)', lambda w: w.IntSlider(description="d", value=3, min=2, max=64), {"value": 5}),
    ('widget.NewFloatSlider("k", 5, 0.1, 100, 0.5)', lambda w: w.FloatSlider(description="k", value=5, min=0.1, max=100, step=0.5), {"value": 7.5}),
    ('widget.NewFloatLogSlider("t", 10, -1, 3)', lambda w: w.FloatLogSlider(description="t", value=10, min=-1, max=3), {"value": 100.0}),
    ('widget.NewIntProgress("epoch", 20)', lambda w: w.IntProgress(description="epoch", max=20), None),
    ('widget.NewFloatProgress("loss", 1)', lambda w: w.FloatProgress(description="loss", max=1), None),
    ('widget.NewDropdown("m", "vmf", "psd")', lambda w: w.Dropdown(description="m", options=["vmf", "psd"]), {"index": 1}),
    ('widget.NewToggleButtons("m", "vmf", "psd")', lambda w: w.ToggleButtons(description="m", options=["vmf", "psd"]), {"index": 1}),
    ('widget.NewCheckbox("c", true)', lambda w: w.Checkbox(description="c", value=True), {"value": False}),
    ('widget.NewText("p", "a photo")', lambda w: w.Text(description="p", value="a photo"), {"value": "a sketch"}),
    ('widget.NewButton("go")', lambda w: w.Button(description="go"), None),
    ('widget.NewHTML("<b>x</b>")', lambda w: w.HTML(value="<b>x</b>"), None),
    ('widget.NewLabel("x")', lambda w: w.Label(value="x"), None),
    ('widget.NewOutput()', lambda w: w.Output(), None),
    ('widget.NewPlay(0, 10, 50)', lambda w: w.Play(min=0, max=10, interval=50), {"value": 4}),
    ('widget.NewHBox(widget.NewLabel("a"))', lambda w: w.HBox([w.Label("a")]), None),
    ('widget.NewVBox(widget.NewLabel("a"))', lambda w: w.VBox([w.Label("a")]), None),
    ('widget.NewTab([]string{"one"}, widget.NewLabel("a"))', lambda w: w.Tab([w.Label("a")], titles=["one"]), {"selected_index": 0}),
    ('widget.NewAccordion([]string{"one"}, widget.NewLabel("a"))', lambda w: w.Accordion([w.Label("a")], titles=["one"]), {"selected_index": 0}),
    ('widget.Link(widget.NewPlay(0, 9, 100), widget.NewIntSlider("", 0, 0, 9))',
     lambda w: w.jslink((w.Play(max=9), "value"), (w.IntSlider(max=9), "value")), None),
]


def named(value, names):
    """Writes the models that a value refers to by their names."""
    if isinstance(value, str) and value.startswith("IPY_MODEL_"):
        return names[value.removeprefix("IPY_MODEL_")]
    if isinstance(value, (list, tuple)):
        return [named(v, names) for v in value]
    return value


def plain(state, names):
    """The state as a page gets it."""
    return json.loads(json.dumps({key: named(value, names) for key, value in state.items()}))


class Client:
    """A page without a screen: it keeps the models that the kernel opens."""

    def __init__(self, kernel):
        self.manager, self.client = start_new_kernel(kernel_name=kernel)
        self.states, self.sent = {}, []

    def take(self, message):
        content = message["content"]
        if message["msg_type"] == "comm_open" and content["target_name"] == "jupyter.widget":
            assert message["metadata"] == {"version": "2.1.0"}, message["metadata"]
            self.states[content["comm_id"]] = dict(content["data"]["state"])
        elif message["msg_type"] == "comm_msg" and content["comm_id"] in self.states:
            self.sent.append(content["data"])
            if content["data"]["method"] == "update":
                self.states[content["comm_id"]].update(content["data"]["state"])

    def run(self, code):
        """Runs a cell and returns the id of the model that it shows, if any."""
        shown = []

        def hook(message):
            self.take(message)
            if message["msg_type"] == "execute_result":
                shown.append(message["content"]["data"])
            assert message["msg_type"] != "error", message["content"]

        self.client.execute_interactive(code, output_hook=hook, timeout=240)
        view = shown[0].get("application/vnd.jupyter.widget-view+json") if shown else None
        if view:
            assert view["version_major"] == 2 and "text/plain" in shown[0], shown
        return view["model_id"] if view else None

    def move(self, model, state):
        """Changes attributes as a page does, and returns what the kernel sends about it."""
        self.sent = []
        message = self.client.session.msg("comm_msg", {"comm_id": model, "data": {"method": "update", "state": state, "buffer_paths": []}})
        self.client.shell_channel.send(message)
        while True:
            try:
                answer = self.client.get_iopub_msg(timeout=240)
            except queue.Empty as empty:
                raise AssertionError("the kernel does not become idle") from empty
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            self.take(answer)
            if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                return self.sent

    def names(self):
        return {model: state["_model_name"] for model, state in self.states.items()}

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def check(kernel="gosphere"):
    client = Client(kernel)
    try:
        client.run('import "gosphere/runtime/widget"')
        for go, python, moved in PAIRS:
            model = client.run(go)
            theirs = python(ipywidgets)
            if model is None:  # a link shows nothing
                model = next(m for m, s in reversed(client.states.items()) if s["_model_name"] == "LinkModel")
            their_names = {w.model_id: w.get_state()["_model_name"] for w in ipywidgets.widgets.widget._instances.values()}
            ours, want = plain(client.states[model], client.names()), plain(theirs.get_state(), their_names)
            differences = {key: (ours.get(key, "absent"), want.get(key, "absent")) for key in {*ours, *want} if ours.get(key, "absent") != want.get(key, "absent")}
            assert not differences, f"{go}: ours and that of ipywidgets differ: {differences}"
            for part in ("layout", "style"):
                reference = client.states[model].get(part)
                if reference and part in want:
                    own = plain(client.states[reference.removeprefix("IPY_MODEL_")], client.names())
                    other = plain(getattr(theirs, part).get_state(), their_names)
                    assert own == other, f"{go}: the {part} differs: {own} {other}"
            if moved:
                answer = client.move(model, moved)
                assert answer == [{"method": "echo_update", "state": moved, "buffer_paths": []}], f"{go} moved to {moved}: {answer}"
        print(f"{len(PAIRS)} widgets are those of ipywidgets {ipywidgets.__version__}")
    finally:
        client.close()


class Page:
    """One of several pages on the same kernel. It applies what arrives as ipywidgets does: what it has sent itself and not yet
    got back as an echo stays, whatever other pages send meanwhile."""

    def __init__(self, manager, model):
        self.client, self.model, self.value, self.jumps, self.pending = manager.client(), model, None, [], []
        self.client.start_channels()
        self.client.wait_for_ready(timeout=240)

    def move(self, value):
        message = self.client.session.msg("comm_msg", {"comm_id": self.model, "data": {"method": "update", "state": {"value": value}, "buffer_paths": []}})
        self.pending.append(message["header"]["msg_id"])
        self.value = value
        self.client.shell_channel.send(message)

    def read(self, until):
        """Takes messages until the cells with these ids are done."""
        until = set(until)
        while until:
            message = self.client.get_iopub_msg(timeout=240)
            content, parent = message["content"], message["parent_header"].get("msg_id")
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                until.discard(parent)
            if message["msg_type"] != "comm_msg" or content["comm_id"] != self.model:
                continue
            value = content["data"]["state"]["value"]
            if content["data"]["method"] == "update":
                self.jumps.append(value)  # the kernel corrects what a page has sent
                self.value = value
            elif parent in self.pending:
                self.pending.remove(parent)
            elif not self.pending:
                self.value = value


def check_two_pages(kernel="gosphere"):
    """Two pages move one slider at the same time; it jumps in neither, and both end at the value that the kernel has."""
    client = Client(kernel)
    pages = []
    try:
        model = client.run('import "gosphere/runtime/widget"\nmoved := 0\nk := widget.NewFloatSlider("k", 0, 0, 100, 0.5)\nk.OnChange(func(float64) { moved++ })\nk')
        pages = [Page(client.manager, model) for _ in range(2)]
        for i in range(1, 41):
            pages[i % 2].move(i / 2)
        # Requests of one page are served in order, those of different pages in any order. All moves have been served when a
        # cell of each page has run. Pages whose own changes are all known follow the others.
        ends = [page.client.execute("k.Value()") for page in pages]
        for page in pages:
            page.read(ends)
        final = pages[0]
        final.move(33.5)
        last = final.client.execute('fmt.Sprint(k.Value(), " after ", moved)', reply=False)
        for page in pages:
            page.read([last])
            seen = (page.value, page.jumps, len(page.pending))
            assert seen == (33.5, [], 0), f"a page shows {seen[0]}, the kernel moved it to {seen[1]}, and {seen[2]} changes had no echo"
        print("two pages move one slider without a jump")
    finally:
        for page in pages:
            page.client.stop_channels()
        client.close()


if __name__ == "__main__":
    check()
    check_two_pages()
