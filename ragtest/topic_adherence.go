package ragtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// TopicAdherence tells, from 0 to 1, whether an assistant keeps to its topics
// through a conversation: it ought to speak of what is on the list, and decline
// the rest. It is the F1 of the topics that were spoken of against those that are
// on the list; Precision and Recall are its two sides.
//
// It needs Messages and ReferenceTopics. The judge finds the topics that the user
// brought up; then two requests in parallel decide which of them the assistant
// refused, and which are on the list: three calls. Each topic is a verdict. A
// conversation without a topic is [ErrUndefined], and so is one with nothing to
// compute the score from, such as the precision of an assistant that refused
// everything.
//
// The score is Ragas' topic adherence, with these differences: each topic is
// judged under its own number, so that none is passed over or made up; all
// refusals are asked for in one request; it has no epsilon, so that a perfect
// score is exactly 1.
var TopicAdherence = topicAdherence{}

type topicAdherence struct{ mode topicMode }

type topicMode int

const (
	topicF1 topicMode = iota
	topicPrecision
	topicRecall
)

// Precision returns the metric "topic_adherence_precision": the share of the
// topics that were spoken of that are on the list.
func (topicAdherence) Precision() topicAdherence { return topicAdherence{topicPrecision} }

// Recall returns the metric "topic_adherence_recall": the share of the topics on
// the list that were spoken of, not refused.
func (topicAdherence) Recall() topicAdherence { return topicAdherence{topicRecall} }

func (m topicAdherence) Name() string {
	return "topic_adherence" + [...]string{"", "_precision", "_recall"}[m.mode]
}

func (topicAdherence) Range() (lowest, highest float64) { return 0, 1 }

func (m topicAdherence) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needMessages(s), needTopics(s)); err != nil {
		return Score{}, err
	}
	talk := cache.TextPart("conversation", "the conversation", transcript(s.Messages))
	topics, err := j.texts(ctx, "topics", "topics", question{
		data: struct {
			Conversation []Message `json:"conversation"`
		}{s.Messages},
		about: shorten(transcript(s.Messages), 200),
		parts: []cache.Part{talk},
	})
	if err != nil {
		return Score{}, err
	}
	if len(topics) == 0 {
		return Score{}, fmt.Errorf("%w: the conversation has no topic", ErrUndefined)
	}
	asked := numbered{texts: topics}
	about := shorten(strings.Join(topics, " | "), 400)
	part := cache.TextPart("topics", "the topics", strings.Join(topics, "\x00"))
	var refused, onList []decision
	err = each(ctx, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			refused, err = j.decide(ctx, "refusals", "refused", "topics", topics, question{
				data: struct {
					Conversation []Message `json:"conversation"`
					Topics       numbered  `json:"topics"`
				}{s.Messages, asked},
				about: about,
				parts: []cache.Part{talk, part},
			})
			return err
		}
		onList, err = j.decide(ctx, "classification", "on_topic", "topics", topics, question{
			data: struct {
				ReferenceTopics []string `json:"reference_topics"`
				Topics          numbered `json:"topics"`
			}{s.ReferenceTopics, asked},
			about: about,
			parts: []cache.Part{part, cache.TextPart("reference topics", "the reference topics", strings.Join(s.ReferenceTopics, "\x00"))},
		})
		return err
	})
	if err != nil {
		return Score{}, err
	}
	return m.score(topics, refused, onList)
}

// score counts. The evidence of precision and recall is the topics that they are
// a share of.
func (m topicAdherence) score(topics []string, refused, onList []decision) (Score, error) {
	var tp, fp, fn int
	var verdicts []Verdict
	for i, topic := range topics {
		spoken, listed := !refused[i].Yes, onList[i].Yes
		switch {
		case spoken && listed:
			tp++
		case spoken:
			fp++
		case listed:
			fn++
		}
		if m.mode == topicPrecision && !spoken || m.mode == topicRecall && !listed {
			continue
		}
		v := Verdict{Claim: topic, OK: spoken == listed, Part: "spoken of", Reason: refused[i].Reason}
		if !spoken {
			v.Part = "refused"
		}
		if listed {
			v.Part += ", on the list"
		} else {
			v.Part += ", not on the list"
		}
		if onList[i].Reason != "" {
			v.Reason = strings.TrimPrefix(v.Reason+"; "+onList[i].Reason, "; ")
		}
		verdicts = append(verdicts, v)
	}
	switch {
	case m.mode == topicPrecision && tp+fp == 0:
		return Score{}, fmt.Errorf("%w: every topic was refused, so none can be on the list or not", ErrUndefined)
	case m.mode == topicRecall && tp+fn == 0:
		return Score{}, fmt.Errorf("%w: no topic of the conversation is on the list, so none ought to have been spoken of", ErrUndefined)
	case m.mode != topicF1:
		return Score{Metric: m.Name(), Value: share(verdicts), Verdicts: verdicts}, nil
	case tp+fp+fn == 0:
		return Score{}, fmt.Errorf("%w: no topic was spoken of, and none is on the list", ErrUndefined)
	}
	return Score{Metric: m.Name(), Value: fBeta(tp, fp, fn, 1), Verdicts: verdicts}, nil
}

func needMessages(s Sample) error {
	for _, m := range s.Messages {
		if !blank(m.Content) {
			return nil
		}
	}
	got := "there are none"
	if n := len(s.Messages); n > 0 {
		got = fmt.Sprintf("all %d are blank", n)
	}
	return &InputError{"Messages", "a conversation to judge is needed, and " + got}
}

func needTopics(s Sample) error {
	err := needTexts("ReferenceTopics", s.ReferenceTopics)
	var input *InputError
	if errors.As(err, &input) {
		input.Want = strings.Replace(input.Want, "contexts to judge by", "topics to keep to", 1)
	}
	return err
}
