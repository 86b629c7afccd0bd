import { afterEach, describe, expect, it } from 'vitest';
import { FolderTree } from '../../../src/ui/files/folder-tree.ts';
import { fileNameProblem, filePathProblem, pluginNameProblem } from '../../../src/ui/files/names.ts';
import { FakeWorld } from './fake-world.ts';

const trees: FolderTree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.close();
});

function treeOf(...paths: string[]): { world: FakeWorld; tree: FolderTree } {
  const world = new FakeWorld('w');
  for (const path of paths) world.write(path, 'x');
  const tree = new FolderTree(world.fs);
  trees.push(tree);
  return { world, tree };
}

const shown = (tree: FolderTree) => tree.rows.map(({ path, depth }) => `${depth} ${path}`);

function until(tree: FolderTree, path: string, there = true): Promise<void> {
  return new Promise((resolve) => {
    const look = () => tree.rows.some((row) => row.path === path) === there && resolve();
    tree.subscribe(look);
    look();
  });
}

describe('the folders of a world', () => {
  it('unfold and fold, folders first and numbers in their order', async () => {
    const { tree } = treeOf('/b/2.txt', '/b/10.txt', '/b/deep/x', '/a.txt');
    await until(tree, '/a.txt');
    expect(shown(tree)).toEqual(['0 /b', '0 /proc', '0 /run', '0 /self', '0 /a.txt']);
    await tree.unfold('/b');
    expect(shown(tree).slice(0, 4)).toEqual(['0 /b', '1 /b/deep', '1 /b/2.txt', '1 /b/10.txt']);
    expect(tree.rows[2]).toMatchObject({ position: 2, siblings: 3 });
    tree.fold('/b');
    expect(shown(tree)[1]).toBe('0 /proc');
  });

  it('follow what is written and removed, and forget a folder that is gone', async () => {
    const { world, tree } = treeOf('/b/1');
    await tree.unfold('/b');
    await world.fs.writeFile('/b/2', 'x');
    await until(tree, '/b/2');
    await world.fs.remove('/b/1');
    await until(tree, '/b/1', false);
    await world.fs.remove('/b/2');
    await until(tree, '/b/2', false);
    expect(tree.isUnfolded('/b')).toBe(false);
  });

  it('show a file among its folders when it is asked for', async () => {
    const { tree } = treeOf('/plugins/mine/source/main.ts');
    await tree.reveal('/plugins/mine/source/main.ts');
    expect(tree.chosen).toBe('/plugins/mine/source/main.ts');
    expect(shown(tree)).toContain('3 /plugins/mine/source/main.ts');
  });
});

describe('names', () => {
  it('are refused when no file can have them', () => {
    for (const name of ['', '.', '..', 'a/b', 'é'.repeat(128), 'there']) {
      expect(fileNameProblem(name, ['there']), name).toBeTypeOf('string');
    }
    expect(fileNameProblem('é'.repeat(127), [])).toBeUndefined();
    expect(filePathProblem('there/new.txt', ['there'])).toBeUndefined();
    expect(filePathProblem('a//b', [])).toBeTypeOf('string');
    for (const name of ['Core', 'core', 'a b', 'mine'])
      expect(pluginNameProblem(name, ['mine']), name).toBeTypeOf('string');
    expect(pluginNameProblem('my-2nd_plugin', [])).toBeUndefined();
  });
});
