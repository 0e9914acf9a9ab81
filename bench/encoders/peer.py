"""The Python side of the benchmark of encoders: one JSON request a line, one answer a line.

The first line that it writes is the version. A request is a task, whose answer is its embeddings, or the seconds for which the present
task is repeated, whose answer is the seconds of wall time and of CPU time of one repetition.
"""

import json
import struct
import sys
import time

import torch
import torch.nn.functional as F

torch.set_num_threads(int(sys.argv[1]))
torch.set_grad_enabled(False)


def load(path):
    """Tensors of a safetensors file of float32."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = bytearray(file.read())
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            flat = torch.frombuffer(body, dtype=torch.float32, count=(end - start) // 4, offset=start)
            tensors[name] = flat.reshape(entry["shape"]).clone()
    return tensors


class Network:
    def __init__(self, folder):
        self.t = load(folder + "/model.safetensors")
        for name in [name for name in self.t if name.endswith("q_proj.weight") or name.endswith("self.query.weight")]:
            for kind in ("weight", "bias"):  # queries, keys and values in one product, as ours
                own = name[: -len("weight")] + kind
                parts = [own, own.replace("q_proj", "k_proj"), own.replace("q_proj", "v_proj")]
                if "query" in own:
                    parts = [own, own.replace("query", "key"), own.replace("query", "value")]
                self.t[own.replace("q_proj", "qkv").replace("query", "qkv")] = torch.cat([self.t[part] for part in parts])

    def linear(self, name, x):
        return F.linear(x, self.t[name + ".weight"], self.t[name + ".bias"])

    def norm(self, name, x, epsilon=1e-5):
        return F.layer_norm(x, x.shape[-1:], self.t[name + ".weight"], self.t[name + ".bias"], epsilon)

    def attention(self, name, x, heads, out, causal=False, mask=None):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, heads, width // heads).transpose(1, 2) for part in self.linear(name, x).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.linear(out, mixed.transpose(1, 2).reshape(batch, length, width))

    def clip_layers(self, prefix, x, heads, causal):
        for i in range(12):
            name = f"{prefix}encoder.layers.{i}."
            x = x + self.attention(name + "self_attn.qkv", self.norm(name + "layer_norm1", x), heads, name + "self_attn.out_proj", causal)
            h = self.linear(name + "mlp.fc1", self.norm(name + "layer_norm2", x))
            x = x + self.linear(name + "mlp.fc2", h * torch.sigmoid(1.702 * h))
        return x

    def image(self, pixels):
        patches = F.conv2d(pixels, self.t["vision_model.embeddings.patch_embedding.weight"], stride=32).flatten(2).transpose(1, 2)
        first = self.t["vision_model.embeddings.class_embedding"].expand(len(pixels), 1, -1)
        x = torch.cat([first, patches], 1) + self.t["vision_model.embeddings.position_embedding.weight"]
        x = self.clip_layers("vision_model.", self.norm("vision_model.pre_layrnorm", x), 12, False)
        return F.linear(self.norm("vision_model.post_layernorm", x[:, 0]), self.t["visual_projection.weight"])

    def text(self, ids, lengths):
        x = self.t["text_model.embeddings.token_embedding.weight"][ids] + self.t["text_model.embeddings.position_embedding.weight"][: ids.shape[1]]
        x = self.clip_layers("text_model.", x, 8, True)
        x = self.norm("text_model.final_layer_norm", x)
        return F.linear(x[torch.arange(len(ids)), lengths - 1], self.t["text_projection.weight"])

    def bert(self, ids, lengths):
        places = torch.arange(ids.shape[1])
        inside = places[None] < lengths[:, None]
        x = self.t["embeddings.word_embeddings.weight"][ids] + self.t["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self.norm("embeddings.LayerNorm", x + self.t["embeddings.token_type_embeddings.weight"][0], 1e-12)
        for i in range(6):
            name = f"encoder.layer.{i}."
            a = self.attention(name + "attention.self.qkv", x, 12, name + "attention.output.dense", mask=inside[:, None, None, :])
            x = self.norm(name + "attention.output.LayerNorm", x + a, 1e-12)
            h = F.gelu(self.linear(name + "intermediate.dense", x))
            x = self.norm(name + "output.LayerNorm", x + self.linear(name + "output.dense", h), 1e-12)
        return (x * inside[..., None]).sum(1) / lengths[:, None]


networks = {}


def work_for(task):
    if task["folder"] not in networks:
        networks[task["folder"]] = Network(task["folder"])
    network = networks[task["folder"]]
    if task["kind"] == "image":
        pixels = torch.tensor(task["pixels"]).view(-1, 3, 224, 224)
        return lambda: torch.cat([network.image(batch) for batch in pixels.split(task["batch"])])
    batches = []
    tokens = task["tokens"]
    for start in range(0, len(tokens), task["batch"]):
        lists = [torch.tensor(ids) for ids in tokens[start : start + task["batch"]]]
        lengths = torch.tensor([len(ids) for ids in lists])
        batches.append((torch.nn.utils.rnn.pad_sequence(lists, batch_first=True), lengths))
    forward = network.text if task["kind"] == "text" else network.bert
    return lambda: torch.cat([forward(ids, lengths) for ids, lengths in batches])


def repeat(seconds, work):
    count, start, spent = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds or count == 0:
        work()
        count += 1
    return [(time.perf_counter() - start) / count, (time.process_time() - spent) / count]


def main():
    print(json.dumps(torch.__version__), flush=True)
    work = None
    for line in sys.stdin:
        request = json.loads(line)
        if "seconds" in request:
            answer = repeat(request["seconds"], work)
        else:
            work = work_for(request)
            answer = work().tolist()
        print(json.dumps(answer), flush=True)


main()
