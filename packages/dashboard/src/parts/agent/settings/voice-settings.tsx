import type { Agent } from '@parley/contract/agent'
import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../../components/button.tsx'
import { SelectField, TextField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { message, useText } from '../../../lib/language.ts'
import { VoiceField } from '../../voice-picker/voice-field.tsx'
import { FIELD_GRID, type VoicePartProps } from './agent-part.ts'
import { choicesOf } from './choices-of.ts'
import { ShareField } from './share-field.tsx'

type Emotion = NonNullable<Agent['voice_emotion']>
type AmbientSound = Agent['ambient_sound']

const EMOTION_WORDS: Readonly<Record<Emotion, string>> = {
  calm: message('Calm'),
  sympathetic: message('Sympathetic'),
  happy: message('Happy'),
  sad: message('Sad'),
  angry: message('Angry'),
  fearful: message('Fearful'),
  surprised: message('Surprised'),
}

const AMBIENT_WORDS: Readonly<Record<AmbientSound, string>> = {
  none: message('None'),
  'coffee-shop': message('Coffee shop'),
  'convention-hall': message('Convention hall'),
  'summer-outdoor': message('Summer outdoors'),
  'mountain-outdoor': message('Mountains'),
  'static-noise': message('Static noise'),
  'call-center': message('Call centre'),
}

const MOST_FALLBACK_VOICES = 5

/** The voice and how it speaks. */
export function VoiceSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('Voice')}>
      <VoiceField
        label={t('Voice')}
        name="voice_id"
        disabled={disabled}
        value={value.voice_id}
        onChange={(voiceId) => onChange({ voice_id: voiceId })}
      />
      <div className={FIELD_GRID}>
        <ShareField
          label={t('Speed')}
          name="voice_speed"
          minimum={0.5}
          maximum={2}
          disabled={disabled}
          value={value.voice_speed}
          onChange={(speed) => onChange({ voice_speed: speed })}
        />
        <ShareField
          label={t('Loudness')}
          name="volume"
          maximum={2}
          disabled={disabled}
          value={value.volume}
          onChange={(volume) => onChange({ volume })}
        />
        <ShareField
          label={t('How freely it varies')}
          name="voice_temperature"
          help={t('Where its provider can vary it.')}
          maximum={2}
          disabled={disabled}
          value={value.voice_temperature}
          onChange={(temperature) => onChange({ voice_temperature: temperature })}
        />
        <SelectField<Emotion | ''>
          label={t('How it feels')}
          name="voice_emotion"
          help={t('Where its provider can express it.')}
          disabled={disabled}
          value={value.voice_emotion ?? ''}
          choices={[{ value: '', label: t('As it does by itself') }, ...choicesOf(EMOTION_WORDS, t)]}
          onChange={(emotion) => onChange({ voice_emotion: emotion === '' ? null : emotion })}
        />
        <TextField
          label={t('Voice model')}
          name="voice_model"
          isOptional
          help={t('By the name that its provider gives it. Left empty: its default.')}
          spellCheck={false}
          maxLength={200}
          disabled={disabled}
          value={value.voice_model ?? ''}
          onChange={(model) => onChange({ voice_model: model === '' ? null : model })}
        />
      </div>
    </Panel>
  )
}

/** Voices that take over, one below the other in their order. */
export function FallbackVoices({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  const { fallback_voice_ids: voices } = value
  const change = (changed: string[]): void => onChange({ fallback_voice_ids: changed })
  return (
    <Panel
      title={t('Voices that take over')}
      description={t('In this order, when the voice does not answer in time: voices of other providers.')}
    >
      {voices.map((voiceId, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the voice is what is being chosen.
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <VoiceField
              label={t('Voice {number}', { number: index + 1 })}
              name={`fallback_voice_ids[${index}]`}
              disabled={disabled}
              value={voiceId}
              onChange={(chosen) => change(voices.map((one, at) => (at === index ? chosen : one)))}
            />
          </div>
          {!disabled && (
            <IconButton
              icon={Trash2}
              label={t('Remove voice {number}', { number: index + 1 })}
              onClick={() => change(voices.filter((_one, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && voices.length < MOST_FALLBACK_VOICES && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => change([...voices, ''])}>
          {t('Add a voice')}
        </Button>
      )}
    </Panel>
  )
}

/** Sound behind the voice. */
export function AmbientSettings({ value, onChange, disabled }: VoicePartProps) {
  const t = useText()
  return (
    <Panel title={t('Background sound')}>
      <div className={FIELD_GRID}>
        <SelectField<AmbientSound>
          label={t('Sound')}
          name="ambient_sound"
          disabled={disabled}
          value={value.ambient_sound}
          choices={choicesOf(AMBIENT_WORDS, t)}
          onChange={(sound) => onChange({ ambient_sound: sound })}
        />
        <ShareField
          label={t('Loudness of the sound')}
          name="ambient_sound_volume"
          maximum={2}
          disabled={disabled}
          value={value.ambient_sound_volume}
          onChange={(volume) => onChange({ ambient_sound_volume: volume })}
        />
      </div>
    </Panel>
  )
}
