/** Where things of a JavaScript plugin stand in the world. */

export const SDK = '/plugins/js/sdk';
/** Packages and files that all plugins of the world may import. */
export const LIBRARY = '/lib';
export const BUILDS = '/state/js/builds';

export const pluginFolder = (plugin: string): string => `/plugins/${plugin}`;

/** `a/./b/../c` without its dots; absolute. */
export function normal(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
