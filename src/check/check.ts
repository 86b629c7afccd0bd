/** The page `/check`: a line for each thing that the playground needs, before a lesson begins. */

import { strings } from '../ui/strings.ts';
import { type Finding, lookAt, PROBES, type Probe } from './probes.ts';
import { reportOf, SIGNS } from './report.ts';

const { check: texts } = strings;

const UNKNOWN: Finding = { mark: 'open', words: texts.looking };

function element<K extends keyof HTMLElementTagNameMap>(name: K, text = '', className = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A line, and what fills it in. */
function line({ name }: Probe): [HTMLElement, (finding: Finding) => void] {
  const row = element('li');
  const sign = element('span', '…', 'waiting');
  const words = element('span', texts.looking, 'words');
  row.append(sign, element('span', name, 'name'), words);
  return [
    row,
    ({ mark, words: found }) => {
      sign.className = mark;
      sign.textContent = SIGNS[mark];
      sign.setAttribute('role', 'img');
      sign.setAttribute('aria-label', texts.marks[mark]);
      words.textContent = found;
    },
  ];
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = texts.copied;
  } catch {
    // Without the right to write to the clipboard the text can still be taken by hand.
    const area = element('textarea', text);
    area.rows = 14;
    area.cols = 70;
    area.readOnly = true;
    button.replaceWith(area);
    area.select();
  }
}

async function check(): Promise<void> {
  const main = document.querySelector('main')!;
  const verdict = element('p', texts.looking);
  verdict.setAttribute('role', 'status');
  const list = element('ul');
  const button = element('button', texts.copy);
  const back = element('a', texts.back, 'button');
  back.href = './';
  main.append(element('h1', texts.title), verdict, list, button, back);
  const findings = new Map<Probe, Finding>();
  const looks = PROBES.map(async (probe) => {
    const [row, fill] = line(probe);
    list.append(row);
    const finding = await lookAt(probe);
    findings.set(probe, finding);
    fill(finding);
  });
  button.onclick = () => void copy(reportOf(PROBES.map((probe) => [probe, findings.get(probe) ?? UNKNOWN])), button);
  await Promise.all(looks);
  const lacking = PROBES.filter((probe) => findings.get(probe)?.mark === 'bad');
  verdict.textContent = lacking.length === 0 ? texts.works : texts.lacks(lacking.map(({ name }) => name));
}

void check();
