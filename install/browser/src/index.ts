// The extension of JupyterLite that adds the kernel.

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { IKernelClient, IKernelSpecs } from '@jupyterlite/services';

import { download } from './download.js';
import { Drive } from './drive.js';
import { IWorker, Kernel } from './kernel.js';

const name = 'gosphere';

/** Returns the address of the folder with the compiled kernel and the logo. */
function base(): string {
  return URLExt.join(PageConfig.getOption('fullLabextensionsUrl'), 'gosphere-browser', 'static');
}

/** Downloads and compiles the kernel, and shows the progress. */
async function load(): Promise<WebAssembly.Module> {
  const options = { autoClose: false as const };
  const id = Notification.emit('Starting Go (gosphere) …', 'in-progress', options);
  try {
    let shown = 0;
    const module = await download(base(), part => {
      if (part - shown >= 0.01 || part === 1) {
        shown = part;
        const message = part < 1 ? `Downloading Go (gosphere): ${Math.floor(100 * part)} %` : 'Compiling Go (gosphere) …';
        Notification.update({ id, message, progress: part, ...options });
      }
    });
    Notification.dismiss(id);
    return module;
  } catch (error: any) {
    Notification.update({ id, message: `Go (gosphere): ${error.message ?? error}`, type: 'error', autoClose: false });
    throw error;
  }
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gosphere-browser:kernel',
  autoStart: true,
  requires: [IKernelSpecs, IKernelClient],
  activate: (app: JupyterFrontEnd, specs: IKernelSpecs, client: IKernelClient) => {
    const drive = new Drive(app.serviceManager.contents);
    const kernels = new Map<string, Kernel>();
    let module: Promise<WebAssembly.Module> | null = null; // all kernels of a page share it
    const compiled = (): Promise<WebAssembly.Module> => {
      module ??= load();
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
