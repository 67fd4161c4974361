import { render } from 'preact';
import { App } from './app.js';
import { guardLinks } from './state/proof/links.js';

guardLinks();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
