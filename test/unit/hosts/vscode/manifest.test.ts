import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../../../src/app/limits.ts';
import { readingTools } from '../../../../src/app/run/reading-calls.ts';
import { NodeFileSystem } from '../../../../src/hosts/node/files/file-system.ts';

type Property = { default?: unknown; properties?: Record<string, unknown> };
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
type Group = { title: string; properties: Record<string, Property> };
const groups: Group[] = manifest.contributes.configuration;
const properties: Record<string, Property> = Object.assign({}, ...groups.map((group) => group.properties));

describe('the settings in package.json', () => {
  for (const [mode, limits] of Object.entries(DEFAULT_LIMITS))
    it(`contain the actual limits of ${mode} mode`, () => {
      const setting = properties[`kedge.limits.${mode}`];
      assert.deepEqual(setting?.default, limits);
      assert.deepEqual(Object.keys(setting?.properties ?? {}).sort(), Object.keys(limits).sort());
    });

  it('are in groups of which each has a title', () => {
    for (const { title, properties } of groups) assert.ok(title && Object.keys(properties).length > 0);
  });
});

describe('the language model tools in package.json', () => {
  it('are the reading tools, with their actual descriptions and schemas', () => {
    const actual = readingTools(new NodeFileSystem([process.cwd()])).map(({ name, description, inputSchema }) => ({
      ...{ name: `kedge_${name}`, modelDescription: description, inputSchema },
    }));
    const { languageModelTools } = manifest.contributes as { languageModelTools: Record<string, unknown>[] };
    assert.deepEqual(
      languageModelTools.map(({ name, modelDescription, inputSchema }) => ({ name, modelDescription, inputSchema })),
      JSON.parse(JSON.stringify(actual)),
    );
  });
});

describe('the walkthrough in package.json', () => {
  const [{ steps }] = manifest.contributes.walkthroughs;

  it('leads through ask, plan and run, agent with approval, connect a model, and undo', () => {
    assert.deepEqual(
      steps.map(({ id }: { id: string }) => id),
      ['ask', 'plan', 'agent', 'connect', 'undo'],
    );
  });

  it('has a picture for each step, and buttons with commands that exist', () => {
    const commands = readFileSync('src/hosts/vscode/commands.ts', 'utf8');
    for (const { media, description } of steps) {
      assert.ok(existsSync(media.image), media.image);
      for (const [, command] of description.matchAll(/\(command:([\w.]+)\)/g)) assert.ok(commands.includes(`'${command}'`), command);
    }
  });
});
