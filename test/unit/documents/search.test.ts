import assert from 'node:assert/strict';
import { languageOf } from '../../../src/documents/index/languages.ts';
import { editDistance, indexText, queryWords } from '../../../src/documents/index/terms.ts';
import { indexed, temporaryStore } from '../../support/collections.ts';

describe('terms', () => {
  it('are stems, and identifiers and paths as a whole and in parts', () => {
    assert.equal(indexText('Configuring the retries', 'en'), 'configur the retri');
    assert.equal(indexText('maxTokens max_tokens', 'en'), 'maxtokens max token maxtokens max token');
    assert.equal(indexText('src/core/run.ts', 'en'), 'srccorerunts runts src core run ts');
    assert.equal(indexText('HTTPServer', 'en'), 'httpserver http server');
    assert.equal(indexText("isn't", 'en'), 'isn');
    assert.equal(indexText('x'.repeat(500), 'en'), '');
    assert.equal(indexText('潮汐表', 'en'), '潮汐 汐表');
  });

  it('of the words of a language have one stem', () => {
    const stem = (word: string, language: 'de' | 'fr' | 'es') => indexText(word, language);
    assert.equal(stem('Verbindungen', 'de'), stem('Verbindung', 'de'));
    assert.equal(stem('continuellement', 'fr'), stem('continuelle', 'fr'));
    assert.equal(stem('configuración', 'es'), stem('configuraciones', 'es'));
  });

  it('of a query include those of every language', () => {
    assert.deepEqual(queryWords('Verbindungen conf*', ['en', 'de']), [
      { whole: 'verbindungen', terms: ['verbindungen', 'verbind'], isPrefix: false },
      { whole: 'conf', terms: ['conf'], isPrefix: true },
    ]);
  });

  it('are recognized by language', () => {
    assert.equal(languageOf('The level of the water is measured at the harbor.'), 'en');
    assert.equal(languageOf('Der Stand des Wassers wird am Hafen gemessen, und die Werte sind nicht genau.'), 'de');
    assert.equal(languageOf('Le niveau de l’eau est mesuré dans le port, et les valeurs ne sont pas exactes.'), 'fr');
    assert.equal(languageOf('El nivel del agua se mide en el puerto, y los valores no son exactos.'), 'es');
    assert.equal(languageOf('1 2 3'), 'en');
  });

  it('are compared with swapped letters', () => {
    assert.equal(editDistance('harbor', 'habror', 2), 1);
    assert.equal(editDistance('harbor', 'harbour', 2), 1);
    assert.equal(editDistance('harbor', 'tide', 2), 3);
  });
});

describe('the search in collections', () => {
  let setup: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    setup = await temporaryStore();
    const license = '## License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software.\n';
    await indexed(setup.store, {
      'guide/retry.md': `# Retries\n\n## Configure the delay\n\nSet \`retryDelay\` to the milliseconds between two attempts.\n\n${license}`,
      'guide/install.md': `# Installation\n\nRun the installer. It asks for a folder and retries when the disk is busy.\n\n${license}`,
      'hafen.md': '# Hafen\n\nDie Verbindung zum Hafen wird geprüft, und die Schleusen werden nicht geöffnet.\n',
      'src/tide.txt': 'The tide tables of the harbor.\n',
    });
    await indexed(setup.store, { 'other.md': '# Other\n\nThe delay of retries in another collection.\n' }, 'more');
  });
  after(() => setup.remove());
  const found = async (query: string, options = {}) => (await setup.store.search(query, options)).map(({ document }) => document);

  it('ranks titles and headings higher', async () => {
    assert.equal((await found('how do I configure retries?', { collections: ['docs'] }))[0], 'guide/retry.md');
    assert.equal((await found('installing'))[0], 'guide/install.md');
  });

  it('finds identifiers however they are written', async () => {
    for (const query of ['retryDelay', 'retry_delay', 'RETRY-DELAY']) assert.equal((await found(query))[0], 'guide/retry.md', query);
  });

  it('knows several languages', async () => {
    assert.deepEqual(await found('Verbindungen der Häfen'), ['hafen.md']);
    assert.deepEqual(await found('geoffnete Schleuse'), ['hafen.md']);
  });

  it('finds the beginnings of words, and misspelled words if it is told to', async () => {
    assert.deepEqual(await found('harb*'), ['src/tide.txt']);
    assert.deepEqual(await found('habror'), []);
    assert.deepEqual(await found('habror', { tolerant: true }), ['src/tide.txt']);
  });

  it('finds two words that a text writes as one', async () => {
    assert.deepEqual(await found('har bor'), ['src/tide.txt']);
  });

  it('is limited to collections, paths and formats', async () => {
    assert.deepEqual(await found('delay', { collections: ['more'] }), ['other.md']);
    assert.deepEqual(await found('retries', { filter: { path: 'guide/*' }, collections: ['docs'] }).then((all) => all.sort()), [
      'guide/install.md',
      'guide/retry.md',
    ]);
    assert.deepEqual(await found('tide', { filter: { format: 'markdown' } }), []);
    assert.equal((await found('retries delay', { limit: 1 })).length, 1);
  });

  it('takes any words, and finds nothing for none', async () => {
    for (const query of ['', '   ', '"', '* (', 'a'.repeat(10_000), '-- \u0000', '\ud800', '()"*:^'.repeat(500)])
      assert.deepEqual(await found(query), [], query.slice(0, 20));
    for (const query of ['harbor AND', 'NEAR(harbor', 'harbor"', 'title:harbor', 'harbor -- \u0000'])
      assert.deepEqual(await found(query, { filter: { path: 'src' } }), ['src/tide.txt'], query);
  });

  it('refuses collections that do not exist, and names those that do', async () => {
    await assert.rejects(found('a', { collections: ['none'] }), /There is no collection "none"\. There are: docs, more\./);
    await assert.rejects(found('a', { collections: ['../docs'] }), /There is no collection/);
  });

  it('shows a repeated passage once', async () => {
    const text = `# A\n\n${'The same passage about sluices and locks stands in many documents of the harbor. '.repeat(4)}\n`;
    await indexed(setup.store, { 'a.md': text, 'b.md': text.replace('# A', '# B'), 'c.md': '# C\n\nSluices.\n' }, 'same');
    const passages = await setup.store.search('sluices and locks', { collections: ['same'] });
    assert.deepEqual(
      passages.map(({ repeated }) => repeated),
      [1, 0],
    );
  });

  it('gives the outline, sections and parts of a document', async () => {
    const outline = await setup.store.outline('docs', 'guide/retry.md');
    assert.deepEqual(
      outline.map(({ titlePath, place }) => [titlePath.join(' > '), place.line]),
      [
        ['Retries', 1],
        ['Retries > Configure the delay', 3],
        ['Retries > License', 7],
      ],
    );
    const section = await setup.store.section('docs', 'guide/retry.md', 'Retries > configure the delay');
    assert.match(section.text, /^## Configure the delay\n\nSet [^#]*attempts\.\n\n$/);
    const whole = await setup.store.content('docs', 'guide/retry.md');
    assert.equal(whole.text.length, whole.length);
    const part = await setup.store.content('docs', 'guide/retry.md', { start: 5, end: 30 });
    assert.equal(part.text, whole.text.slice(5, 30));
    await assert.rejects(setup.store.section('docs', 'guide/retry.md', 'None'), /has no heading “None”/);
    await assert.rejects(setup.store.content('docs', 'none.md'), /has no document “none.md”/);
  });
});
