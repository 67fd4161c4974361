import { Agent, computerTool, run } from '@openai/agents';
import { VirtualComputers } from 'virtual-computers';
import { openaiComputer } from 'virtual-computers/openai';

const vc = new VirtualComputers();
const desk = vc.computer({ project: 'demo', name: 'desktop' });
const tool = computerTool(openaiComputer(desk, { onMessage: (text) => console.error(text) }));
const agent = new Agent({ name: 'Clerk', model: 'gpt-5.4', tools: [tool] });
const { finalOutput } = await run(agent, 'Write a shopping list into list.txt.', { maxTurns: 50 });
console.log(finalOutput);
await vc.close();
