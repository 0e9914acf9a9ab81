// The part of a site's service worker that answers requests without a connection. gosphere site puts it before
// the service worker of JupyterLite, which has a cache as well but loses its setting when the browser ends it.

// A block, because the names of the two parts share a scope.
{
  const worker = self as any; // a ServiceWorkerGlobalScope

  // The names of the caches of this site begin alike. gosphere site defines the version.
  const prefix = `gosphere-page ${worker.registration.scope} `;
  const current = prefix + worker.gosphereVersion;

  worker.addEventListener('fetch', (event: any) => {
    const request: Request = event.request;
    const isOfSite = request.url.startsWith(worker.registration.scope);
    // JupyterLite answers some addresses itself. Who asks with no-store keeps the file elsewhere.
    const isOther = /\/api\/(drive|stdin\/|service-worker-heartbeat)/.test(new URL(request.url).pathname) || request.cache === 'no-store';
    if (request.method === 'GET' && isOfSite && !isOther) {
      event.stopImmediatePropagation();
      event.respondWith(answer(event, request));
    }
  });

  worker.addEventListener('activate', (event: any) => event.waitUntil(removeEarlier()));

  /** Fetches a file and keeps it, or returns the kept one if the server cannot be reached. */
  async function answer(event: any, request: Request): Promise<Response> {
    const cache = await caches.open(current);
    try {
      const response = await fetch(request);
      if (response.status === 200) {
        const copy = response.clone();
        event.waitUntil(cache.put(request, copy).catch(() => undefined)); // a full disk is no reason to fail
      }
      return response;
    } catch (error) {
      // A query does not change a file of the site: it names the notebook to open, or the version of the file.
      const kept = await cache.match(request, { ignoreSearch: true, ignoreVary: true });
      if (!kept) {
        throw error;
      }
      return kept;
    }
  }

  /** Removes what earlier versions of the site have kept. */
  async function removeEarlier(): Promise<void> {
    for (const name of await caches.keys()) {
      if (name.startsWith(prefix) && name !== current) {
        await caches.delete(name);
      }
    }
  }
}
