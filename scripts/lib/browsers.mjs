/**
 * Finds the browsers for the tests: the one that `CHROMIUM` or `FIREFOX` names, else an installed one, for Chromium also
 * the one that Playwright downloaded.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from './failure.mjs';
import { runTool } from './process.mjs';

const PROGRAMS = {
  chromium: {
    linux: [
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
      'microsoft-edge',
      'microsoft-edge-stable',
    ],
    darwin: [
      'Chromium.app/Contents/MacOS/Chromium',
      'Google Chrome.app/Contents/MacOS/Google Chrome',
      'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ],
    win32: [
      'Chromium/Application/chrome.exe',
      'Google/Chrome/Application/chrome.exe',
      'Microsoft/Edge/Application/msedge.exe',
    ],
  },
  firefox: {
    linux: ['firefox', 'firefox-esr'],
    darwin: ['Firefox.app/Contents/MacOS/firefox'],
    win32: ['Mozilla Firefox/firefox.exe'],
  },
};

function foldersOfPrograms() {
  const { env, platform } = process;
  if (platform === 'darwin') return ['/Applications', join(env.HOME ?? '', 'Applications')];
  if (platform === 'win32') return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean);
  return (env.PATH ?? '').split(delimiter).concat('/usr/bin', '/usr/local/bin', '/snap/bin');
}

function findInstalled(browser) {
  const names = PROGRAMS[browser][process.platform] ?? PROGRAMS[browser].linux;
  const folders = foldersOfPrograms();
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

function fromVariable(name) {
  const path = process.env[name];
  if (path && !existsSync(path)) throw new Failure(`${name} names ${path}, but there is no such program.`);
  return path;
}

async function playwrightsOwn() {
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

/** The path of a Chromium, Chrome or Edge, or undefined. */
export async function findChromium() {
  return fromVariable('CHROMIUM') ?? findInstalled('chromium') ?? (await playwrightsOwn());
}

/** The path of a Firefox, or undefined. */
export function findFirefox() {
  return fromVariable('FIREFOX') ?? findInstalled('firefox');
}

const HINT = {
  linux: '"apt-get install chromium", "dnf install chromium" or the like',
  darwin: '"brew install --cask chromium"',
  win32: '"winget install Google.Chrome"',
};

/** As `findChromium`; downloads one with Playwright when none is there, and fails with a sentence when that fails. */
export async function needChromium() {
  const found = await findChromium();
  if (found) return found;
  console.error('No Chromium, Chrome or Edge is installed; Playwright downloads one …');
  await runTool('playwright-core/cli.js', ['install', 'chromium'], { quiet: true });
  const downloaded = await playwrightsOwn();
  if (downloaded) return downloaded;
  const hint = HINT[process.platform] ?? HINT.linux;
  throw new Failure(
    `The tests need a Chromium, Chrome or Edge. Install one (${hint}), or set CHROMIUM to the path of its program.`,
  );
}
