// The page itself, for visits without a connection.

import { PageConfig, URLExt } from '@jupyterlab/coreutils';

import { entriesOfSite } from './drive.js';

/**
 * Asks for the notebooks beside the open one, for the parts of the page that it loads when it needs them, such as the
 * code of widgets, and again for the files that the page has loaded before the service worker of the site controlled it.
 * The service worker then keeps them. It does nothing where there is no service worker.
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
  for (const url of new Set([location.href, ...loaded, ...(await notebooks(folder)), ...(await parts())])) {
    if (url.startsWith(location.origin) && !(await caches.match(url, { ignoreSearch: true }))) {
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
  return (await entriesOfSite(folder)).filter(entry => entry.type === 'notebook').map(entry => URLExt.join(base, 'files', URLExt.encodeParts(entry.path)));
}

/** Returns the addresses of the code, styles and fonts of the site's pages, which gosphere site has listed. */
async function parts(): Promise<string[]> {
  const base = PageConfig.getBaseUrl();
  const response = await fetch(URLExt.join(PageConfig.getOption('fullLabextensionsUrl'), 'gosphere-browser/static/page.json')).catch(() => null);
  const files: string[] = response?.ok ? await response.json() : [];
  return files.map(file => URLExt.join(base, encodeURI(file))); // the pages ask for names with @ as they are
}
