// The files that the page downloads: the compiled kernel and the data sets beside it.

/** A file that the build has written beside the extension. Its name has the hash of its content. */
interface IFile {
  file: string;
  size: number; // in bytes
}

/** The description of the files: the program, compressed with gzip, and the data that it opens. */
interface IFiles extends IFile {
  data?: Record<string, IFile>;
}

/** Progress is called with the part of a file that has arrived, from 0 to 1. */
export type Progress = (part: number) => void;

const cacheName = 'gosphere';
const listName = 'gosphere.json';

/**
 * Downloads has the files of a folder of the site. Each file is downloaded at its first use, and the
 * browser keeps it for later visits, also without a connection.
 */
export class Downloads {
  private files: Promise<IFiles> | null = null;

  /** base is the address of the folder. */
  constructor(private base: string) {}

  /** Returns the compiled kernel. */
  async kernel(progress: Progress): Promise<WebAssembly.Module> {
    const files = await this.list();
    const file = await this.keep(files, files, progress);
    const stream = file.stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
  }

  /**
   * Returns the content of a data set. The message of an error is a code of POSIX: ENOENT for a file
   * that the site lacks, ENETUNREACH for one that cannot be downloaded now.
   */
  async data(name: string, progress: Progress): Promise<Uint8Array> {
    const files = await this.list().catch(() => {
      throw new Error('ENETUNREACH');
    });
    const described = files.data?.[name];
    if (!described) {
      throw new Error('ENOENT');
    }
    const file = await this.keep(files, described, progress).catch(error => {
      throw new Error(error instanceof Status && error.status === 404 ? 'ENOENT' : 'ENETUNREACH');
    });
    return new Uint8Array(await file.arrayBuffer());
  }

  /** Returns the description of the files, which the kernel and all its data take from one answer of the server. */
  private list(): Promise<IFiles> {
    this.files ??= this.load();
    this.files.catch(() => {
      this.files = null; // the next use tries again
    });
    return this.files;
  }

  private async load(): Promise<IFiles> {
    const url = `${this.base}/${listName}`;
    const cache = await openCache();
    const response = await fetch(url, { cache: 'no-cache' }).catch(() => null);
    if (response?.ok) {
      const files = await response.json();
      await cache?.put(url, new Response(JSON.stringify(files))).catch(() => undefined);
      return files;
    }
    const kept = await cache?.match(url); // offline
    if (!kept) {
      throw response ? new Status(url, response.status) : new Error(`cannot download ${url}: no connection`);
    }
    return kept.json();
  }

  /** Returns a file from the cache, or downloads and keeps it. */
  private async keep(files: IFiles, wanted: IFile, progress: Progress): Promise<Blob> {
    const url = `${this.base}/${wanted.file}`;
    const cache = await openCache();
    const kept = await cache?.match(url);
    if (kept) {
      return kept.blob();
    }
    const file = await load(url, wanted.size, progress);
    await this.removeOthers(cache, files);
    // A full disk or a private window is no reason not to run.
    await cache?.put(url, new Response(file)).catch(() => undefined);
    return file;
  }

  /** Removes the files of earlier versions. */
  private async removeOthers(cache: Cache | null, files: IFiles): Promise<void> {
    const address = (name: string): string => new URL(`${this.base}/${name}`, location.href).href;
    const current = [listName, files.file, ...Object.values(files.data ?? {}).map(data => data.file)].map(address);
    for (const request of (await cache?.keys()) ?? []) {
      if (request.url.startsWith(address('')) && !current.includes(request.url)) {
        await cache!.delete(request);
      }
    }
  }
}

/** The error of a request that the server has refused. */
class Status extends Error {
  constructor(
    url: string,
    readonly status: number
  ) {
    super(`cannot download ${url}: status ${status}`);
  }
}

/** Returns the cache, which exists only on pages with https and of this machine. */
async function openCache(): Promise<Cache | null> {
  try {
    return await caches.open(cacheName);
  } catch {
    return null;
  }
}

async function load(url: string, size: number, progress: Progress): Promise<Blob> {
  const response = await fetch(url, { cache: 'no-store' }); // Downloads keeps it
  if (!response.ok) {
    throw new Status(url, response.status);
  }
  const chunks: BlobPart[] = [];
  let arrived = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      const file = new Blob(chunks);
      return url.endsWith('.gz') ? gzipped(file) : file;
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
