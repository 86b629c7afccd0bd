/**
 * The first script of the page, and the only one until the browser has shown that it can run the rest: checks, gets the
 * page isolated, then loads the application that its own `data-` attributes name. What fails is told in one sentence.
 */

import { insecure, missingFeature, missingSharedMemory } from './features.ts';
import { isolate } from './isolation.ts';
import { holdBuild, keepOffline } from './offline.ts';

// Both are only known while the script runs for the first time.
const { app, preload, styles } = (document.currentScript as HTMLScriptElement).dataset as Record<string, string>;

function tell(problem: string): void {
  const alert = document.createElement('p');
  alert.setAttribute('role', 'alert');
  alert.textContent = problem;
  alert.style.cssText =
    'max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 1.125rem/1.5 system-ui, sans-serif';
  document.body.textContent = '';
  document.body.appendChild(alert);
}

function link(rel: string, href: string): void {
  const element = document.createElement('link');
  element.rel = rel;
  element.href = href;
  document.head.appendChild(element);
}

const words = (text: string | undefined): string[] => (text ? text.split(' ') : []);

function load(): void {
  for (const href of words(styles)) link('stylesheet', href);
  for (const href of words(preload)) link('modulepreload', href);
  const script = document.createElement('script');
  script.type = 'module';
  script.src = app!;
  script.onload = () => {
    const { sausage } = window as { sausage?: { ready?: Promise<unknown> } };
    Promise.resolve(sausage?.ready).then(keepOffline, keepOffline);
  };
  script.onerror = () =>
    tell('The playground could not be loaded: a part of it did not arrive. Check the network and reload the page.');
  document.body.appendChild(script);
}

async function enter(): Promise<void> {
  const problem = insecure() ?? missingFeature();
  if (problem) return tell(problem);
  const isolation = await isolate();
  if (isolation === 'reloading') return;
  const unshared = isolation === 'isolated' ? missingSharedMemory() : isolation.problem;
  if (unshared) return tell(unshared);
  const build = document.querySelector<HTMLMetaElement>('meta[name="sausage-build"]');
  if (build) holdBuild(build.content);
  load();
}

enter();
