import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '../../src/web/html.ts';

test('every text is escaped, within elements and within attributes', () => {
  const evil = `<script>'"&`;
  assert.equal(html`<p title="${evil}">${evil}</p>`.text, '<p title="&lt;script&gt;&#39;&quot;&amp;">&lt;script&gt;&#39;&quot;&amp;</p>');
});

test('markup within markup stays as it is, and lists follow each other', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${items}</ul>`.text, '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

test('nothing is left of null, undefined and false, and of zero its figure', () => {
  assert.equal(html`[${null}${undefined}${false}${0}${[]}${''}]`.text, '[0]');
});
