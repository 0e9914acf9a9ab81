// The page itself, for visits without a connection.

import { PageConfig, URLExt } from '@jupyterlab/coreutils';

/**
 * Asks for the notebooks beside the open one, and again for the files that the page has loaded before the
 * service worker of the site controlled it. The service worker then keeps them. It does nothing where there is
 * no service worker.
 */
export async function keepPage(folder: string): Promise<void> {
  const workers = navigator.serviceWorker;
  if (!workers) {
    return; // only pages with https and of this machine have them
  }
  await workers.ready;
  if (!workers.controller) {
    await new Promise(resolve => workers.addEventListener('controllerchange', resolve, { once: true }));
  }
  const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
  for (const url of new Set([location.href, ...loaded, ...(await notebooks(folder))])) {
    if (url.startsWith(location.origin) && !(await caches.match(url))) {
      await fetch(url).then(
        response => response.arrayBuffer(),
        () => null
      );
    }
  }
}

/** Returns the addresses of the notebooks that the site has in a folder. */
async function notebooks(folder: string): Promise<string[]> {
  const base = PageConfig.getBaseUrl();
  const response = await fetch(URLExt.join(base, 'api/contents', folder, 'all.json')).catch(() => null);
  const entries: { type: string; path: string }[] = response?.ok ? (await response.json()).content : [];
  return entries.filter(entry => entry.type === 'notebook').map(entry => URLExt.join(base, 'files', URLExt.encodeParts(entry.path)));
}
