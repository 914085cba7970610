import { parseWordList } from './word-list.ts'

export const ENGLISH = parseWordList({
  backchannels:
    "mhm|mm|mmm|hmm|hm|uh huh|uhhuh|mm hmm|mm hm|yeah|yep|yup|yes|okay|ok|right|i see|sure|got it|alright|all right|ah|aha|oh|oh okay|cool|good|great|fine|true|exactly|of course|really|wow|nice|go on|i know|thanks|thank you|perfect|absolutely|makes sense|that makes sense|oh really|oh wow|oh nice|oh good|oh i see|ok sure|definitely|for sure|totally|interesting|lovely|awesome|amazing|excellent|gotcha|understood|indeed|correct|that's right|that's true|that's great|that's good|sounds good|you're right|no problem|no worries|actually yes|ooh|huh|no way|very good|very nice",
  commands:
    'stop|wait|hold on|hang on|no|nope|actually|one moment|one second|just a moment|just a second|a moment|excuse me|sorry|pause|quiet|be quiet|shut up|listen|never mind|cancel',
  fillers: 'um|uh|uhm|erm|er|eh|hmm|hm|mmm|like|you know|i mean|let me see|let me think|let me check|kind of|sort of',
  trailingWords:
    "and|or|but|because|cause|if|when|while|than|as|with|without|for|to|of|from|into|the|a|an|my|your|his|her|their|our|its|i|i'm|i'd|i'll|it's|we|they|he|she|and then|need|between|until|although|unless|whether|is|are|was|were|how|which|who|at|about|during|since",
  questionStarts:
    "what|what's|when|where|where's|who|who's|whose|why|how|how's|which|can|could|would|will|do|does|did|is|are|am|was|were|have|has|should|may|isn't|aren't|don't|doesn't|can't",
  requestStarts:
    'please|tell|give|show|send|book|cancel|call|check|change|repeat|explain|help|connect|transfer|open|close|find|read|say|add|remove|put|make|let|stop|start',
  shortAnswers:
    "yes|no|yeah|yep|nope|sure|okay|ok|correct|right|that's right|exactly|not really|of course|please|no thanks|no thank you|yes please|i don't know|nothing|that's all|that's it|thanks|thank you|goodbye|bye",
  numbers:
    'zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|double|triple|plus|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth',
  months: 'january|february|march|april|may|june|july|august|september|october|november|december',
  days: 'today|tomorrow|yesterday|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday',
  atWords: 'at',
  dotWords: 'dot|point',
  answerCues: {
    phone: 'phone number|telephone number|mobile number|cell number|number to reach|call you back|callback number',
    date: 'what date|which date|date of birth|birthday|what day|which day|born',
    email: 'email|e-mail',
    spelling: 'spell',
    number: 'number|code|digits|zip|account|order id|pin',
  },
  phrases: {
    fillers: 'Let me think.|One moment.|Just a second.|Hm, let me see.',
    toolFillers:
      'One moment, please.|I am still working on it.|It takes a little longer, please stay with me.|Thank you for waiting, almost there.',
    fallback: 'Sorry, I could not answer just now. Could you say that again?',
    backchannels: 'Mhm.|I see.|Okay.',
    notUnderstood: "Sorry, I didn't catch that.",
  },
})
