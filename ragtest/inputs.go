package ragtest

import "fmt"

// What metrics need of a sample is checked before anything is asked. A text that
// is blank is none.

func needQuestion(s Sample) error {
	if blank(s.UserInput) {
		return &InputError{"UserInput", "the question is needed, and it is blank"}
	}
	return nil
}

func needResponse(s Sample) error {
	if blank(s.Response) {
		return &InputError{"Response", "an answer to judge is needed, and it is blank"}
	}
	return nil
}

func needReference(s Sample) error {
	if blank(s.Reference) {
		return &InputError{"Reference", "an answer known to be good is needed, and it is blank"}
	}
	return nil
}

func needContexts(s Sample) error {
	return needTexts("RetrievedContexts", s.RetrievedContexts)
}

// needTexts checks a list: one whose texts are all blank is empty.
func needTexts(field string, texts []string) error {
	for _, t := range texts {
		if !blank(t) {
			return nil
		}
	}
	got := "there are none"
	if n := len(texts); n > 0 {
		got = fmt.Sprintf("all %d are blank", n)
	}
	return &InputError{field, "contexts to judge by are needed, and " + got}
}

// needs returns the first error.
func needs(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
