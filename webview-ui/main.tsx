import '@vscode/codicons/dist/codicon.css';
import './styles/panel.css';
import { render } from 'preact';
import { App } from './components/app.tsx';
import { post } from './host.ts';
import { keepFocus } from './keep-focus.ts';
import { start } from './store.ts';

const root = document.getElementById('kedge-panel');
if (root) {
  start((model) => render(<App model={model} />, root));
  keepFocus(root);
  post({ type: 'ready' });
}
