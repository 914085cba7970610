import { startDashboard } from './browser/dashboard.ts'
const scene = await startDashboard({ env: {} })
const { server } = scene
const ws = server.workspaceId
const call = async (method: string, path: string, body: object) => (await server.call(method as never, path, { body: { workspaceId: ws, ...body } })).body as any
const llm = await call('POST', '/api/v1/llms', { display_name: 'Front desk', model:'offline', general_prompt: 'You are the receptionist of {{company}}.\nBe brief.\n- When the caller says goodbye, end the conversation.', begin_message: 'Hello, how can I help?', general_tools: [{ type: 'end_call', name: 'end_call', description: 'Ends the conversation. Use it once the user has said goodbye.' }] })
const voices = (await server.call('GET', `/api/voices?workspaceId=${ws}`)).body as any
const agent = await call('POST', '/api/agents', { agent_name: 'Front desk', voice_id: voices[0].voiceId, response_engine: { type: 'llm', llm_id: llm.llm_id } })
const agent2 = await call('POST', '/api/agents', { agent_name: 'Night shift', voice_id: voices[0].voiceId, response_engine: { type: 'llm', llm_id: llm.llm_id } })
await call('POST', `/api/agents/${agent2.agent_id}/publish`, { title: 'First', description: null })
await call('PATCH', `/api/llms/${llm.llm_id}`, { general_prompt: 'You are the receptionist of {{company}}.\nBe brief and friendly.\n- When the caller says goodbye, end the conversation.' })
const flow = await call('POST', '/api/conversation-flows', { display_name: 'Booking', model_choice: null, start_node_id: 'a', nodes: [{ id: 'a', name: 'Welcome', type: 'conversation', instruction: { type: 'prompt', text: 'Greet {{name}}.' }, edges: [{ id: 'e', transition_condition: { type: 'prompt', prompt: 'done' }, destination_node_id: 'b' }] }, { id: 'b', name: 'Bye', type: 'end', instruction: { type: 'prompt', text: 'Bye.' }, speak_during_execution: true }] })
await call('POST', '/api/chat-agents', { agent_name: 'Booking bot', response_engine: { type: 'conversation-flow', conversation_flow_id: flow.conversation_flow_id } })
await call('POST', '/api/test-case-definitions', { name: 'Asks for a price', llm_id: llm.llm_id })
const cases = (await server.call('GET', `/api/test-case-definitions?workspaceId=${ws}`)).body as any
const only = process.argv.slice(2)
const pages: Record<string, string> = {
  agents: '/1/agents', agent: `/1/agents/${agent.agent_id}`, 'agent-general': `/1/agents/${agent.agent_id}?tab=general`, 'agent-model': `/1/agents/${agent.agent_id}?tab=model`, 'agent-voice': `/1/agents/${agent.agent_id}?tab=voice`,
  'agent-turns': `/1/agents/${agent.agent_id}?tab=turns`, 'agent-calls': `/1/agents/${agent.agent_id}?tab=calls`, 'agent-analysis': `/1/agents/${agent.agent_id}?tab=analysis`, 'agent-webhooks': `/1/agents/${agent.agent_id}?tab=webhooks`, 'agent-tools': `/1/agents/${agent.agent_id}?tab=tools`,
  'agent2-versions': `/1/agents/${agent2.agent_id}/versions`, 'agent2': `/1/agents/${agent2.agent_id}`, llms: '/1/llms', llm: `/1/llms/${llm.llm_id}`, 'llm-model': `/1/llms/${llm.llm_id}?tab=model`, 'llm-versions': `/1/llms/${llm.llm_id}/versions`,
  flows: '/1/flows', flow: `/1/flows/${flow.conversation_flow_id}`, 'flow-settings': `/1/flows/${flow.conversation_flow_id}?tab=settings`, 'chat-agents': '/1/chat-agents', 'test-cases': '/1/test-cases', 'test-case': `/1/test-cases/${cases[0].test_case_definition_id}`,
}
for (const width of [1440, 390]) {
  const { page, misconduct } = await scene.open('/1/agents', { width })
  for (const [name, path] of Object.entries(pages)) {
    if (only.length > 0 && !only.includes(name)) continue
    await page.goto(path); await page.locator('h1').first().waitFor(); await page.waitForTimeout(1500)
    await page.screenshot({ path: `/tmp/dashb/shot-${name}-${width}.png`, fullPage: width === 1440 && false })
  }
  if (width === 1440 && (only.length === 0 || only.includes('picker'))) {
    await page.goto(pages['agent-model']!); await page.getByRole('button', { name: 'Model' }).first().click(); await page.waitForTimeout(800); await page.screenshot({ path: '/tmp/dashb/shot-picker-1440.png' })
  }
  if (only.length === 0 || only.includes('chat')) {
    await page.goto(pages['agent']!)
    if (width === 390) await page.getByRole('button', { name: 'Test' }).click()
    await page.getByRole('button', { name: 'Start chat' }).click()
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.fill('Goodbye!'); await box.press('Enter')
    await page.waitForTimeout(3000)
    await page.screenshot({ path: `/tmp/dashb/shot-chat-${width}.png` })
  }
  if (width === 1440 && (only.length === 0 || only.includes('call'))) {
    await page.goto(pages['agent']!)
    await page.getByRole('tab', { name: 'Call', exact: true }).click()
    await page.getByRole('button', { name: 'Start call' }).click()
    await page.waitForTimeout(5000)
    await page.screenshot({ path: `/tmp/dashb/shot-call-${width}.png` })
  }
  console.log(width, misconduct)
}
await scene[Symbol.asyncDispose]()
