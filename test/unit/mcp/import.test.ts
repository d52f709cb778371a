import assert from 'node:assert/strict';
import { importableServers } from '../../../src/mcp/definitions/import.ts';
import { withVariables } from '../../../src/mcp/definitions/variables.ts';

const variable = (name: string) => `\${${name}}`;

describe('the servers of other programs', () => {
  const file = JSON.stringify({
    mcpServers: {
      github: {
        command: 'npx',
        args: ['-y', 'server', '--api-key', 'abc', '--mode=fast', '--token=t0k'],
        env: { GITHUB_TOKEN: 'ghp_1', LEVEL: 'info', ID: 'a1b2c3d4e5f6a7b8c9d0' },
      },
      web: {
        type: 'http',
        url: 'https://a.example/mcp?api_key=s3cret&page=2',
        headers: { Authorization: 'Bearer x', 'x-env': `Bearer ${variable('env:X')}` },
      },
      claude: { command: variable('HOME_BIN'), env: { TOKEN: variable('TOKEN:-none') } },
      'bad\nname': { command: 'x' },
      empty: {},
      number: 7,
    },
    projects: { '/work/repo': { mcpServers: { own: { command: 'own' } } }, '/other': { mcpServers: { foreign: { command: 'x' } } } },
  });

  it('are found with those of the open folder, and what cannot be used is left out', () => {
    assert.deepEqual(
      importableServers(file, ['/work/repo']).map(({ name }) => name),
      ['github', 'web', 'claude', 'own'],
    );
    for (const text of ['', '{', '[]', '{"mcpServers": 7}', '{"mcpServers": null}']) assert.deepEqual(importableServers(text), [], text);
  });

  it('have no key in their settings, and are the same once the keys are filled in', async () => {
    for (const { name, config, secrets } of importableServers(file)) {
      const settings = JSON.stringify(config);
      for (const secret of ['abc', 't0k', 'ghp_1', 'a1b2c3d4e5f6a7b8c9d0', 's3cret', 'Bearer x'])
        assert.ok(!settings.includes(secret), `${name} ${settings}`);
      const filled = await withVariables(config, {
        environment: (key) => `env ${key}`,
        folder: undefined,
        home: '/home',
        input: async ({ id }) => secrets[id] ?? assert.fail(id),
      });
      if (name === 'github')
        assert.deepEqual(filled, {
          command: 'npx',
          args: ['-y', 'server', '--api-key', 'abc', '--mode=fast', '--token=t0k'],
          env: { GITHUB_TOKEN: 'ghp_1', LEVEL: 'info', ID: 'a1b2c3d4e5f6a7b8c9d0' },
        });
      if (name === 'web')
        assert.deepEqual(filled, {
          type: 'http',
          url: 'https://a.example/mcp?api_key=s3cret&page=2',
          headers: { Authorization: 'Bearer x', 'x-env': 'Bearer env X' },
        });
      if (name === 'claude') assert.deepEqual(filled, { command: 'env HOME_BIN', env: { TOKEN: 'env TOKEN' } });
    }
    assert.match(JSON.stringify(importableServers(file)[0]?.config), /LEVEL":"info"/);
  });
});
