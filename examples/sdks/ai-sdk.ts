import { anthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs } from 'ai';
import { VirtualComputers } from 'virtual-computers';
import { aiSdkTools } from 'virtual-computers/ai-sdk';

const vc = new VirtualComputers();
const tools = aiSdkTools(vc.computer({ project: 'demo', name: 'desktop' }));
const { text } = await generateText({
  model: anthropic('claude-opus-5-5'),
  tools: {
    computer: anthropic.tools.computerToolset_20260801(tools.computer),
    bash: anthropic.tools.bash_20250124(tools.bash),
    str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(tools.editor),
  },
  stopWhen: stepCountIs(50),
  prompt: 'Write a shopping list into list.txt.',
});
console.log(text);
await vc.close();
