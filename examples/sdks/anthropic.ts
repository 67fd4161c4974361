import Anthropic from '@anthropic-ai/sdk';
import { VirtualComputers } from 'virtual-computers';
import { anthropicTools } from 'virtual-computers/anthropic';

const vc = new VirtualComputers();
const message = await new Anthropic().beta.messages.toolRunner({
  model: 'claude-opus-5-5',
  max_tokens: 4096,
  max_iterations: 50,
  tools: await anthropicTools(vc.computer({ project: 'demo', name: 'desktop' })),
  messages: [{ role: 'user', content: 'Write a shopping list into list.txt.' }],
});
for (const block of message.content) if (block.type === 'text') console.log(block.text);
await vc.close();
