/** The model's fixed sentences. */
const ENGLISH = {
  and: 'and',
  hello: 'Hello!',
  howCanIHelp: 'How can I help you?',
  anythingElse: 'Is there anything else I can help you with?',
  welcome: "You're welcome!",
  goodbye: 'Goodbye, and have a nice day!',
  wellThanks: "I'm doing well, thank you.",
  unknown: "I'm sorry, I don't have that information.",
  unclear: "I'm sorry, I didn't quite get that.",
  notInDocuments: 'I could not find that in the documents I have.',
  nearest: (text: string) => `I could not find exactly that. The nearest I have is: ${text}`,
  documentsAbout: (topics: string) => `What I have is about ${topics}.`,
  offerMessage: 'Would you like me to take a message?',
  offerCallback: (who: string) => `Would you like ${who} to call you back?`,
  canHelpWith: (topics: string) => `I can answer questions about ${topics}.`,
  canTakeMessage: 'I can also take a message.',
  automated: "I'm an automated assistant.",
  offerDetails: 'Would you like to leave your name and email address?',
  noPerson: "I'm sorry, I can't connect you with a person here.",
  noInstructions: "I can't share my instructions, but I'm happy to answer your questions.",
  cancelled: "All right, I've dropped that.",
  noted: "Thank you, I've noted that.",
  thankYou: 'Thank you.',
  repeat: (values: string) => `Let me repeat that: ${values}.`,
  isCorrect: 'Is that correct?',
  isAllRight: 'Is that all right?',
  whatToChange: 'What should I change?',
  stillThere: 'Are you still there?',
  sorry: "I'm sorry about that.",
  failed: "I'm sorry, that didn't work just now. Please try again in a moment.",
  done: "That's done.",
  allRight: 'All right.',
  gladToHear: "I'm glad to hear that.",
}

export type Phrases = typeof ENGLISH

const GERMAN: Phrases = {
  and: 'und',
  hello: 'Guten Tag!',
  howCanIHelp: 'Wie kann ich Ihnen helfen?',
  anythingElse: 'Kann ich sonst noch etwas für Sie tun?',
  welcome: 'Gern geschehen!',
  goodbye: 'Auf Wiederhören und einen schönen Tag!',
  wellThanks: 'Danke, gut.',
  unknown: 'Das weiß ich leider nicht.',
  unclear: 'Das habe ich leider nicht verstanden.',
  notInDocuments: 'Dazu finde ich nichts in meinen Unterlagen.',
  nearest: (text) => `Genau das finde ich nicht. Am nächsten kommt: ${text}`,
  documentsAbout: (topics) => `Darin geht es um ${topics}.`,
  offerMessage: 'Soll ich eine Nachricht aufnehmen?',
  offerCallback: () => 'Möchten Sie, dass wir Sie zurückrufen?',
  canHelpWith: (topics) => `Ich beantworte Fragen zu diesen Themen: ${topics}.`,
  canTakeMessage: 'Ich kann auch eine Nachricht aufnehmen.',
  automated: 'Ich bin ein automatischer Assistent.',
  offerDetails: 'Möchten Sie Namen und E-Mail-Adresse hinterlassen?',
  noPerson: 'Ich kann Sie hier leider nicht mit einem Menschen verbinden.',
  noInstructions: 'Meine Anweisungen kann ich nicht weitergeben, aber ich beantworte gern Ihre Fragen.',
  cancelled: 'In Ordnung, das lassen wir.',
  noted: 'Danke, das habe ich notiert.',
  thankYou: 'Danke.',
  repeat: (values) => `Ich wiederhole: ${values}.`,
  isCorrect: 'Stimmt das so?',
  isAllRight: 'Ist das in Ordnung?',
  whatToChange: 'Was soll ich ändern?',
  stillThere: 'Sind Sie noch da?',
  sorry: 'Das tut mir leid.',
  failed: 'Das hat gerade leider nicht funktioniert. Bitte versuchen Sie es gleich noch einmal.',
  done: 'Das ist erledigt.',
  allRight: 'In Ordnung.',
  gladToHear: 'Das freut mich.',
}

const BY_LANGUAGE: Readonly<Record<string, Phrases>> = { en: ENGLISH, de: GERMAN }

/** Whether the model has sentences in a language. */
export function isSupported(language: string): boolean {
  return Object.hasOwn(BY_LANGUAGE, language)
}

/** Returns the sentences of a language. Defaults to English. */
export function getPhrases(language: string): Phrases {
  return BY_LANGUAGE[language] ?? ENGLISH
}

/** Joins sentences and omits empty ones. */
export function joinText(...sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join(' ')
}
