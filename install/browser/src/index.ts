// The extension of JupyterLite that adds the kernel.

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { IKernelClient, IKernelSpecs } from '@jupyterlite/services';

import { Downloads, Progress } from './download.js';
import { Drive } from './drive.js';
import { IWorker, Kernel, folderOf } from './kernel.js';
import { leadOutside, openNamed } from './links.js';
import { keepPage } from './page.js';

const name = 'gosphere';

/** Returns the address of the folder with the compiled kernel and the logo. */
function base(): string {
  return URLExt.join(PageConfig.getOption('fullLabextensionsUrl'), 'gosphere-browser', 'static');
}

const lasting = { autoClose: false as const };

/** Returns a function that shows in a notification how much of a file has arrived, and then a last text. */
function shower(id: string, what: string, last: string): Progress {
  let shown = 0;
  return part => {
    if (part - shown >= 0.01 || part === 1) {
      shown = part;
      const message = part < 1 ? `Downloading ${what}: ${Math.floor(100 * part)} %` : last;
      Notification.update({ id, message, progress: part, ...lasting });
    }
  };
}

/** Downloads and compiles the kernel, and shows the progress. */
async function load(downloads: Downloads): Promise<WebAssembly.Module> {
  const id = Notification.emit('Starting Go (gosphere) …', 'in-progress', lasting);
  try {
    const module = await downloads.kernel(shower(id, 'Go (gosphere)', 'Compiling Go (gosphere) …'));
    Notification.dismiss(id);
    return module;
  } catch (error: any) {
    Notification.update({ id, message: `Go (gosphere): ${error.message ?? error}`, type: 'error', autoClose: false });
    throw error;
  }
}

/** Reads a data set of the program, and shows the progress while it is downloaded. */
async function read(downloads: Downloads, name: string): Promise<Uint8Array> {
  let id = '';
  let show: Progress | null = null;
  try {
    return await downloads.data(name, part => {
      if (show === null) {
        id = Notification.emit(`Downloading ${name} …`, 'in-progress', lasting);
        show = shower(id, name, `${name} is downloaded`);
      }
      show(part);
    });
  } finally {
    Notification.dismiss(id); // the cell reports an error
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gosphere-browser:kernel',
  autoStart: true,
  requires: [IKernelSpecs, IKernelClient],
  activate: (app: JupyterFrontEnd, specs: IKernelSpecs, client: IKernelClient) => {
    openNamed(app);
    leadOutside(app.serviceManager.contents);
    const downloads = new Downloads(base());
    const drive = new Drive(app.serviceManager.contents, name => read(downloads, name));
    const kernels = new Map<string, Kernel>();
    let module: Promise<WebAssembly.Module> | null = null; // all kernels of a page share it
    const compiled = (): Promise<WebAssembly.Module> => {
      module ??= load(downloads);
      module.catch(() => {
        module = null; // the next kernel tries again
      });
      return module;
    };
    specs.register({
      spec: {
        name,
        display_name: 'Go (gosphere)',
        language: 'go',
        argv: [],
        resources: { 'logo-svg': `${base()}/logo-svg.svg`, 'logo-64x64': `${base()}/logo-64x64.png` }
      },
      create: async options => {
        const kernel = new Kernel({
          ...options,
          module: compiled(),
          worker: () => new Worker(new URL('./worker.js', import.meta.url)) as unknown as IWorker,
          drive,
          env: { TZ: Intl.DateTimeFormat().resolvedOptions().timeZone }
        });
        kernels.set(kernel.id, kernel);
        void kernel.ready
          .then(() => keepPage(folderOf(options.location)))
          .catch(error => console.warn(`gosphere: the page is not kept for visits without a connection: ${error.message ?? error}`));
        kernel.disposed.connect(() => {
          if (kernels.get(kernel.id) === kernel) {
            kernels.delete(kernel.id);
          }
        });
        return kernel;
      }
    });
    // JupyterLite's own interrupt only drops waiting cells, and has no way to ask a kernel.
    const interrupt = client.interrupt.bind(client);
    client.interrupt = async (id: string) => {
      const kernel = kernels.get(id);
      if (kernel) {
        kernel.interrupt();
      } else {
        await interrupt(id);
      }
    };
  }
};

export default plugin;
