import { createFlow } from '@parley/engine/testing/flow-scenario'
import { talk } from '@parley/offline-model/offline-test-kit'
import { describe, expect, test } from 'vitest'
import { FLOW_TEMPLATES } from '../../../features/flows/flow-templates.ts'
import german from '../agent.de.json' with { type: 'json' }
import { TEMPLATES } from './templates.ts'

/** Runs the templates with the offline model, which new users try first. */

const END_CALL = { type: 'end_call' as const, name: 'end_call', description: 'Ends the conversation.' }

function createTemplateAgent(key: string) {
  const [name, language] = key.split(' ')
  const template = TEMPLATES.find((candidate) => candidate.key === name)
  if (template === undefined) throw new Error(`There is no template "${key}".`)
  const translations = language === 'de' ? (german as Readonly<Record<string, string>>) : {}
  const generalPrompt = translations[template.prompt] ?? template.prompt
  const greeting = translations[template.beginMessage] ?? template.beginMessage
  return { engine: { generalPrompt, tools: [END_CALL] }, greeting }
}

describe('an agent template', () => {
  test.each<[key: string, question: string, answer: RegExp]>([
    ['receptionist', 'What are your hours?', /^Our opening hours are Monday to Friday, 9 am to 5 pm\. We are closed/],
    ['receptionist', 'Are you open on Sunday?', /^No, we are closed on weekends\.$/],
    ['receptionist', 'where are you located', /^Our address is 12 Harbor Street, second floor\.$/],
    ['receptionist', 'Where can I park my car?', /^Visitors park for free behind the building\.$/],
    ['receptionist', 'How much is a first consultaton?', /^The first consultation is \$90 for 30 minutes/],
    ['receptionist', 'Do you speak French?', /^We speak English and Spanish\.$/],
    ['receptionist', 'What should I bring?', /^Please bring an ID and all letters about your case\.$/],
    ['receptionist', 'Do you do criminal law?', /^We do not handle criminal cases\.$/],
    ['receptionist', 'who am I talking to?', /^I'm the receptionist of Harbor Law\./],
    [
      'receptionist',
      'Can you paint my house?',
      /^I'm sorry, I don't have that information\. Would you like me to take a message\?$/,
    ],
    ['appointments', 'How long does a checkup take?', /^A checkup takes 30 minutes/],
    ['appointments', 'Do you take new patients?', /^We accept new patients/],
    ['appointments', 'who are the dentists', /^Our dentists are Dr\. Kim and Dr\. Alvarez\.$/],
    ['appointments', 'what time do you close on friday?', /Friday, 8 am to 1 pm/],
    ['appointments', 'I have terrible tooth pain', /call \+1 555 010 3322/],
    ['receptionist', 'How long are you open on Thursday?', /^Our opening hours are Monday to Friday, 9 am to 5 pm\.$/],
    ['support', 'Can I send a lamp back?', /^You can return a lamp within 30 days\./],
    ['support', 'my lamp flickers', /^Turn off "power saving" in the app\.$/],
    ['support', 'I want my money back', /^We refund the price within five business days/],
    ['support', 'does it work with 5 ghz wifi?', /^The lamp needs a 2\.4 GHz network\. It does not work with 5 GHz\.$/],
    ['receptionist de', 'Haben Sie am Samstag offen?', /^Nein, am Wochenende ist geschlossen\.$/],
    ['receptionist de', 'Was kostet die Erstberatung?', /^Die Erstberatung kostet 90 Euro für 30 Minuten/],
    ['receptionist de', 'Wer sind Sie?', /^Ich bin der Empfang der Kanzlei Hafen\./],
    ['receptionist de', 'Wie wird das Wetter?', /^Das weiß ich leider nicht\. Soll ich eine Nachricht aufnehmen\?$/],
    ['appointments de', 'Wie lange dauert eine Kontrolle?', /^Eine Kontrolle dauert 30 Minuten/],
    ['support de', 'Wie lange habe ich Garantie?', /^Alle Lampen haben zwei Jahre Garantie/],
    ['support de', 'Wie setze ich die Lampe zurück?', /^Halten Sie die Taste zehn Sekunden lang gedrückt/],
  ])('%s: %s', async (key, question, answer) => {
    const [turn] = await talk(createTemplateAgent(key), [question])
    expect(turn?.text).toMatch(answer)
  })

  test.each<[key: string, lines: readonly string[], last: RegExp]>([
    [
      'receptionist',
      ['Please take a message', 'Ann Lee', '555 0100', 'my landlord', 'tomorrow at 3 pm'],
      /^Let me repeat that: your name is Ann Lee, your phone number is 5 5 5 0 1 0 0, .*landlord.*tomorrow.*correct\?$/,
    ],
    [
      'appointments',
      ['Yes please', 'a cleaning', 'Tuesday at 3 pm', 'Ann Lee', '+1 555 0100', 'no, 4 pm please', 'yes'],
      /^Thank you, I've noted that\. The practice confirms the time by phone\./,
    ],
    ['appointments', ["I'd like to book a checkup", 'What does it cost?'], /Which day and time would suit you\?$/],
    [
      'support',
      ['The lamp does not turn on', 'That did not help', 'Jo Fox', 'jo@fox.example'],
      /A colleague will reply/,
    ],
    ['support', ['Who made it?', 'My lamp does not turn on'], /^Unplug it for ten seconds/],
    [
      'receptionist',
      ['Please take a message', 'Where are you?', 'Hello'],
      /^I'm sorry, I didn't quite get that\. May I/,
    ],
    ['receptionist', ['Please take a message', 'Can someone call me back?'], /^May I have your name, please\?$/],
    ['receptionist de', ['Ich möchte einen Termin', 'Max Müller', '0171 5550100'], /^Danke\. Worum geht es\?$/],
    ['support de', ['Ich möchte mit einem Menschen sprechen'], /^Ich kann Sie hier leider .*Wie ist Ihr Name\?$/],
  ])('%s: replies to %j', async (key, messages, expectedReply) => {
    const turns = await talk(createTemplateAgent(key), messages)
    expect(turns.at(-1)?.text).toMatch(expectedReply)
  })

  test.each(TEMPLATES.flatMap(({ key }) => [key, `${key} de`]))(
    '%s: ends the conversation and never recites its instructions',
    async (key) => {
      const probes = [
        'What are your tasks?',
        'numbers',
        'What do you do if you do not know something?',
        'Facts',
        'style',
      ]
      const turns = await talk(createTemplateAgent(key), [...probes, key.endsWith('de') ? 'Tschüss' : 'Bye'])
      expect(turns.at(-1)?.calls).toEqual(['end_call'])
      const spokenText = turns.map(({ text }) => text).join(' ')
      expect(spokenText).not.toMatch(
        /one question at a time|make anything up|plain words|Repeat|Erfinde|Anrufer|the caller|Replace/i,
      )
    },
  )
})

describe('a flow template', () => {
  test.each<[name: string, lines: readonly string[], ways: readonly string[], last: RegExp]>([
    ['empty', ['hi', 'bye'], ['>welcome', 'welcome>goodbye'], /^Goodbye/],
    [
      'appointment',
      ['Hello', "I'd like an appointment for a cleaning", 'Tuesday at 3 pm', 'Ann Lee', 'yes that is right'],
      ['>reason', 'reason>when', 'when>keep', 'keep>confirm', 'confirm>goodbye'],
      /^Thank you\. Goodbye/,
    ],
    [
      'cake',
      ['Hi', 'two chocolate cakes for Saturday', 'yes, Ann Lee'],
      ['>order', 'order>keep', 'keep>size', 'size>confirm', 'confirm>goodbye'],
      /^Thank you/,
    ],
    [
      'cake',
      ['Hi', '8 apple cakes for Sunday', '+1 555 0100'],
      ['>order', 'order>keep', 'keep>size', 'size>large_order', 'large_order>goodbye'],
      /Goodbye/,
    ],
  ])('%s: %j', async (name, messages, edges, expectedReply) => {
    const body = FLOW_TEMPLATES.find((template) => template.name === name)?.body
    const defaults = Object.entries(body?.default_dynamic_variables ?? {})
    const graph = createFlow((body?.nodes ?? []) as Parameters<typeof createFlow>[0], {
      globalPrompt: body?.global_prompt ?? '',
      startNodeId: body?.start_node_id ?? '',
      defaultVariables: Object.fromEntries(defaults.map(([key, value]) => [key, String(value)])),
      startSpeaker: 'user',
    })
    const turns = await talk({ graph, greeting: '' }, messages)
    expect(turns.flatMap(({ way }) => way)).toEqual(edges)
    expect(turns.at(-1)?.text).toMatch(expectedReply)
  })
})
