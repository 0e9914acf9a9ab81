// The download of the compiled kernel.

/** The description of the binary that the build writes. */
interface IBinary {
  file: string; // compressed with gzip; its name has the hash of its content
  size: number; // of the file in bytes
}

const cacheName = 'gosphere';

/**
 * Returns the compiled kernel. It is downloaded once: the browser keeps the file for later visits.
 * progress is called with the part that has arrived, from 0 to 1, while the file is downloaded.
 */
export async function download(base: string, progress: (part: number) => void): Promise<WebAssembly.Module> {
  const response = await fetch(`${base}/gosphere.json`, { cache: 'no-cache' }).catch(() => null);
  const cache = await openCache();
  let binary: IBinary;
  if (response?.ok) {
    binary = await response.json();
    await cache?.put(`${base}/gosphere.json`, new Response(JSON.stringify(binary)));
  } else {
    const kept = await cache?.match(`${base}/gosphere.json`); // offline
    if (!kept) {
      throw new Error(`the kernel cannot be downloaded: ${base}/gosphere.json: ${response ? `status ${response.status}` : 'no connection'}`);
    }
    binary = await kept.json();
  }
  const url = `${base}/${binary.file}`;
  let file = await cache?.match(url);
  if (!file) {
    const loaded = await load(url, binary.size, progress);
    file = new Response(loaded);
    await remove(cache, base, url);
    // A full disk or a private window is no reason not to run.
    await cache?.put(url, new Response(loaded)).catch(() => undefined);
  }
  const stream = file.body!.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
}

/** Returns the cache, which exists only on pages with https and of this machine. */
async function openCache(): Promise<Cache | null> {
  try {
    return await caches.open(cacheName);
  } catch {
    return null;
  }
}

/** Removes binaries of earlier versions. */
async function remove(cache: Cache | null, base: string, url: string): Promise<void> {
  for (const request of (await cache?.keys()) ?? []) {
    if (request.url.endsWith('.wasm.gz') && request.url.startsWith(new URL(base, location.href).href) && request.url !== new URL(url, location.href).href) {
      await cache!.delete(request);
    }
  }
}

async function load(url: string, size: number, progress: (part: number) => void): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`the kernel cannot be downloaded: ${url}: status ${response.status}`);
  }
  const chunks: BlobPart[] = [];
  let arrived = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return gzipped(new Blob(chunks));
    }
    chunks.push(value);
    arrived += value.length;
    progress(Math.min(1, arrived / size));
  }
}

/** Compresses a file again if the server has declared the compression, which the browser then removes. */
async function gzipped(file: Blob): Promise<Blob> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0x1f && second === 0x8b) {
    return file;
  }
  return new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}
