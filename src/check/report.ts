/** What somebody who helps needs to know of a browser, as text. */

import { type Finding, lookAt, type Mark, PROBES, type Probe } from './probes.ts';

export const SIGNS: Record<Mark, string> = { good: '✓', bad: '✗', open: '–' };

export function reportOf(findings: Iterable<[Probe, Finding]>): string {
  const build = document.querySelector<HTMLMetaElement>('meta[name="sausage-build"]')?.content ?? 'of sources';
  const lines = Array.from(findings, ([{ name }, { mark, words }]) => `${SIGNS[mark]} ${name}: ${words}`);
  // Without query and fragment: they can name what is nobody's business.
  const page = new URL('.', document.baseURI).href;
  return [`Sausage, build ${build}`, `${page} on ${new Date().toISOString()}`, navigator.userAgent, ...lines].join(
    '\n',
  );
}

/** What can be said without asking a server. */
export async function nearReport(): Promise<string> {
  const probes = PROBES.filter(({ near }) => near);
  const findings = await Promise.all(probes.map(async (probe) => [probe, await lookAt(probe)] as [Probe, Finding]));
  return reportOf(findings);
}
