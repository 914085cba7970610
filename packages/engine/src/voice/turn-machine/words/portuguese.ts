import { parseWordList } from './word-list.ts'

export const PORTUGUESE = parseWordList({
  backchannels:
    'mhm|mm|hm|aham|uhum|sim|ok|okay|tá|tá bom|está bem|bem|bom|muito bem|certo|claro|entendo|entendi|percebo|pois|pois é|exato|exatamente|isso|perfeito|ah|ah sim|oh|legal|ótimo|com certeza|obrigado|obrigada|muito obrigado|muito obrigada|absolutamente|faz sentido|sério|a sério|ah sério|é mesmo|ah é|verdade|de verdade|excelente|interessante|sem dúvida|claro que sim|sem problema|não faz mal|tudo bem|sim sim|sim claro|na verdade sim|ah ok|ah entendi|correto|compreendo|beleza|maravilha',
  commands:
    'pare|para|pára|espere|espera|um momento|um segundo|um minuto|um instante|não|na verdade|desculpe|desculpa|com licença|silêncio|escute|escuta|cancele|cancela|stop',
  fillers: 'eh|hum|ahn|então|bom|tipo|quer dizer|digamos|sei lá|deixa ver|deixe ver',
  trailingWords:
    'e|ou|mas|porque|se|quando|que|quem|onde|como|com|sem|para|pra|por|a|ao|à|de|do|da|dos|das|em|no|na|nos|nas|sobre|até|desde|o|os|as|um|uma|uns|umas|nosso|queria|gostaria|preciso|devo|e depois|entre|embora|nem',
  questionStarts:
    'o que|que|quando|onde|quem|por que|porquê|como|quanto|quanta|quantos|quantas|qual|quais|pode|poderia|podem|tem|há|é|está|são|será|posso|você',
  requestStarts:
    'por favor|diga|me diga|dê|mostre|envie|mande|reserve|cancele|verifique|mude|repita|explique|ajude|ligue|passe|procure|leia|ponha|coloque',
  shortAnswers:
    'sim|não|claro|ok|okay|certo|correto|exato|isso|sim por favor|não obrigado|não obrigada|obrigado|obrigada|por favor|não sei|nada|é tudo|é só isso|só isso|adeus|tchau',
  numbers:
    'zero|um|uma|dois|duas|três|quatro|cinco|seis|meia|sete|oito|nove|dez|onze|doze|treze|catorze|quatorze|quinze|dezesseis|dezasseis|dezessete|dezoito|dezenove|vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem|cento|mil|duplo|mais|primeiro',
  months: 'janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro',
  days: 'hoje|amanhã|ontem|depois de amanhã|segunda|terça|quarta|quinta|sexta|sábado|domingo',
  atWords: 'arroba',
  dotWords: 'ponto',
  answerCues: {
    phone: 'número de telefone|telefone celular|número de telemóvel|número do celular|ligar de volta',
    date: 'que data|qual data|data de nascimento|que dia|qual dia|aniversário|nasceu',
    email: 'e-mail|email|correio eletrónico',
    spelling: 'soletrar|soletre',
    number: 'número|código|dígitos|cpf',
  },
  phrases: {
    fillers: 'Um momento.|Deixe-me pensar.|Vamos ver.|Só um segundo.',
    toolFillers:
      'Um momento, por favor.|Ainda estou tratando disso.|Demora mais um pouco, fique na linha, por favor.|Obrigado por esperar, está quase.',
    fallback: 'Desculpe, não consegui responder. Pode repetir?',
    backchannels: 'Aham.|Entendo.|Sim.',
    notUnderstood: 'Desculpe, não percebi.',
  },
})
