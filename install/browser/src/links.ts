// Links to notebooks of the site, and from them to files that it does not have.

import { JupyterFrontEnd } from '@jupyterlab/application';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { Contents } from '@jupyterlab/services';

/**
 * Makes links that leave the folder of the notebooks lead to other pages. The option gosphereLinks of the page maps
 * paths, as JupyterLab resolves them, to addresses, which may be relative to that of the site.
 */
export function leadOutside(contents: Contents.IManager): void {
  const option: Record<string, string> = JSON.parse(PageConfig.getOption('gosphereLinks') || '{}');
  const site = new URL(URLExt.join(PageConfig.getBaseUrl(), '/'), location.href);
  const links = new Map(Object.entries(option).map(([path, address]) => [path, new URL(address, site).href]));
  const own = contents.getDownloadUrl.bind(contents);
  contents.getDownloadUrl = async path => links.get(path) ?? (await own(path));
  const outside = new Set(links.values());
  // JupyterLab opens links to files itself. The handler comes before JupyterLab's, and leaves these links to the browser.
  document.addEventListener(
    'click',
    event => {
      const anchor = event.target instanceof Element ? event.target.closest('a') : null;
      if (anchor && outside.has(anchor.href.split('#')[0])) {
        anchor.target = '_blank';
        event.stopPropagation();
      }
    },
    true
  );
}

/**
 * Opens the notebooks that the address of the page names, and shows the folder of the first one in the file browser.
 * JupyterLite does so as well, but before it restores what the reader had open in an earlier visit, which then takes their
 * place, and it shows the folder of whatever document is the first to become current.
 */
export function openNamed(app: JupyterFrontEnd): void {
  const paths = new URLSearchParams(location.search).getAll('path');
  if (paths.length > 0 && PageConfig.getOption('mode') === 'multiple-document') {
    void app.restored.then(() => {
      paths.forEach(path => void app.commands.execute('docmanager:open', { path }));
      void app.commands.execute('filebrowser:go-to-path', { path: paths[0], dontShowBrowser: true });
    });
  }
}
