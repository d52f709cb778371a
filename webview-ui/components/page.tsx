import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageData, PageName } from '../../src/protocol/pages.ts';
import { post } from '../host.ts';
import type { OpenPage, PanelModel } from '../model.ts';
import { dispatch } from '../store.ts';
import { Button, IconButton } from './button.tsx';
import { Notice } from './notice.tsx';

const TITLES: Record<PageName, string> = {
  memory: 'Memory',
  replay: 'Replay',
  permissions: 'Permissions',
  servers: 'MCP servers',
  insights: 'Insights',
  sessions: 'Sessions',
  models: 'Models and limits',
  documents: 'Documents',
  agents: 'Agents',
};

type PageComponent<P extends PageName> = ComponentType<{ data: PageData[P] }>;

/** The code of each page is loaded when it is first shown. */
const PAGES: { [P in PageName]: () => Promise<{ Page: PageComponent<P> }> } = {
  memory: () => import('../pages/memory.tsx'),
  sessions: () => import('../pages/sessions.tsx'),
  replay: () => import('../pages/replay.tsx'),
  permissions: () => import('../pages/permissions.tsx'),
  servers: () => import('../pages/servers.tsx'),
  insights: () => import('../pages/insights/insights.tsx'),
  models: () => import('../pages/models.tsx'),
  agents: () => import('../pages/agents.tsx'),
  documents: () => import('../pages/documents.tsx'),
};

/** A page in front of the conversation. `waits` is set while the conversation is waiting for the user. */
export function Page({ page, notice, waits }: { page: OpenPage; notice: PanelModel['notice']; waits: boolean }) {
  const { name, data } = page;
  const title = TITLES[name];
  const section = useRef<HTMLElement>(null);
  const [loaded, setLoaded] = useState<{ name: PageName; Body: PageComponent<PageName> }>();
  useEffect(() => {
    post({ type: 'open_page', name });
    section.current?.focus();
    // The name and the data of a page belong together, which TypeScript cannot follow through a union.
    void PAGES[name]().then(({ Page: Body }) => setLoaded({ name, Body: Body as PageComponent<PageName> }));
  }, [name]);
  return (
    <section ref={section} class="page" aria-label={title} tabIndex={-1}>
      <div class="row page-header">
        <h1 class="grow">{title}</h1>
        <IconButton icon="close" label={`Close: ${title}`} onClick={closePage} />
      </div>
      {waits && (
        <div class="row page-waits" role="status">
          <span class="grow">Kedge is waiting for you.</span>
          <Button kind="link" onClick={closePage}>
            Show
          </Button>
        </div>
      )}
      {notice && <Notice notice={notice} />}
      <div class="page-body">
        {data && loaded?.name === name ? <loaded.Body data={data} /> : <div role="progressbar" aria-label={`Loading: ${title}`} />}
      </div>
    </section>
  );
}

const closePage = () => dispatch({ type: 'page_closed' });
