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
    projects: { '/home/anna/repo': { mcpServers: { own: { command: 'own' } } }, '/other': { mcpServers: { foreign: { command: 'x' } } } },
  });

  it('are found with those of the open folder, and what cannot be used is left out', () => {
    assert.deepEqual(
      importableServers(file, ['/home/anna/repo']).map(({ name }) => name),
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

  it('have no key in their settings, wherever it is written, and run the same command with the same address', async () => {
    const servers = {
      remote: {
        command: 'npx',
        args: ['mcp-remote', 'https://a.example/sse', '--header', 'Authorization: Bearer sek-1', '--header', 'X-Token:sek-2'],
      },
      database: {
        command: 'npx',
        args: ['server', 'postgresql://me:sek-3@localhost/db'],
        env: { DATABASE_URL: 'postgres://me:sek-4@host/db' },
      },
      docker: { command: 'docker', args: ['run', '-e', 'API_KEY=sek-5', '-e', 'JWT_TOKEN=aaa.sek-6.ccc', 'image:1'] },
      path: { url: 'https://mcp-12345678901234567890.example/api/s/Y2Q4ZjA3NjEtODdiOS00sek-7/mcp#token=sek-8' },
      login: { url: 'https://me:sek-9@a.example/mcp' },
      twice: { command: 'x', args: ['--auth', 'sek-10', '--auth', 'sek-11'] },
      mixed: { command: 'x', env: { TOKEN: `Bearer longer-sek-12 ${variable('env:X')}` } },
    };
    const found = importableServers(JSON.stringify({ mcpServers: servers }));
    assert.deepEqual(
      found.map(({ name }) => name),
      Object.keys(servers),
    );
    for (const { name, config, secrets } of found) {
      assert.doesNotMatch(JSON.stringify(config), /sek/, name);
      const input = async ({ id }: { id: string }) => secrets[id] ?? assert.fail(id);
      const filled = await withVariables(config, { environment: () => variable('env:X'), folder: undefined, home: '/home', input });
      assert.deepEqual(filled, servers[name as keyof typeof servers]);
    }
    assert.match(JSON.stringify(found), /https:\/\/mcp-12345678901234567890\.example\/api\/s/);
  });
});
