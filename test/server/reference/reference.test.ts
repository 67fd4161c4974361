import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenApiDocument, openApiDocument } from '../../../src/contract/openapi/document.js';
import { renderReference } from '../../../src/server/reference/render.js';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

it('is served without a key, under a policy that allows nothing inline or foreign', async () => {
  const page = await app.send('GET', '/api/docs', { authorization: null });
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(page.text).not.toMatch(
    / style=| on[a-z]+=|<style|<script>|https?:\/\/(?!127\.0\.0\.1|(app\.)?example\.com|[\w-]+\.localhost:)/,
  );
  for (const [, path] of page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)) {
    const file = await app.send('GET', `/api/${path}`, { authorization: null });
    expect(file.status, path).toBe(200);
    expect(file.headers['x-content-type-options']).toBe('nosniff');
  }
});

it('has every operation and schema of the document, and links that lead somewhere', () => {
  const document = openApiDocument('1.2.3', 'http://127.0.0.1:4700/api');
  const page = renderReference(document);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const wanted = [
    ...operations.map(({ operationId }) => String(operationId).replace(/ByName$/, '')),
    ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
  ];
  expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
  expect(page).toContain(`-d &#39;{&quot;x&quot;:640,&quot;y&quot;:400}&#39;`);
});

it('shows texts as texts', () => {
  const document = openApiDocument('<b>&"\'') as OpenApiDocument;
  const page = renderReference(document);
  expect(page).toContain('&lt;b&gt;&amp;&quot;&#39;');
  expect(page).not.toContain('<b>');
});
